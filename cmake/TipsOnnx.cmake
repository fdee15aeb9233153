# ONNX files, if libprotobuf-c was found: the schema that libonnx-dev installs, turned into C by protoc-c when we are
# built. Sets ONNX_FOUND, and ONNX_SOURCE and ONNX_INCLUDE to what was generated. Packages: libonnx-dev
# protobuf-c-compiler libprotobuf-c-dev.
find_program(PROTOC_C protoc-c)
find_path(ONNX_SCHEMA onnx.proto PATH_SUFFIXES onnx)

if(ONNX_FOUND AND PROTOC_C AND ONNX_SCHEMA)
  set(ONNX_INCLUDE ${PROJECT_BINARY_DIR}/onnx)
  set(ONNX_SOURCE ${ONNX_INCLUDE}/onnx.pb-c.c)
  file(MAKE_DIRECTORY ${ONNX_INCLUDE})
  add_custom_command(OUTPUT ${ONNX_SOURCE} ${ONNX_INCLUDE}/onnx.pb-c.h
    COMMAND ${PROTOC_C} --proto_path=${ONNX_SCHEMA} --c_out=${ONNX_INCLUDE} onnx.proto
    DEPENDS ${ONNX_SCHEMA}/onnx.proto
    COMMENT "Generating onnx.pb-c.c")
  set_source_files_properties(${ONNX_SOURCE} PROPERTIES COMPILE_OPTIONS -w) # not ours to mend
else()
  set(ONNX_FOUND 0)
endif()
