# ONNX files, if libprotobuf-c was found: the schema that libonnx-dev installs, turned into C by protoc-c when we are
# built. Sets ONNX_FOUND, ONNX_SOURCE to what was generated and ONNX_INCLUDE to where. Packages: libonnx-dev
# protobuf-c-compiler libprotobuf-c-dev.
find_program(PROTOC_C protoc-c)
find_path(ONNX_SCHEMA onnx.proto PATH_SUFFIXES onnx)
set(ONNX_INCLUDE ${PROJECT_BINARY_DIR}/onnx)

if(ONNX_FOUND AND PROTOC_C AND ONNX_SCHEMA)
  set(ONNX_SOURCE ${ONNX_INCLUDE}/onnx.pb-c.c)
  file(MAKE_DIRECTORY ${ONNX_INCLUDE})
  add_custom_command(OUTPUT ${ONNX_SOURCE} ${ONNX_INCLUDE}/onnx.pb-c.h
    COMMAND ${PROTOC_C} --proto_path=${ONNX_SCHEMA} --c_out=${ONNX_INCLUDE} onnx.proto
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${ONNX_INCLUDE} -P ${PROJECT_SOURCE_DIR}/cmake/onnx_names.cmake
    DEPENDS ${ONNX_SCHEMA}/onnx.proto cmake/onnx_names.cmake
    COMMENT "Generating onnx.pb-c.c")
  set_source_files_properties(${ONNX_SOURCE} PROPERTIES COMPILE_OPTIONS "-w;${ONNX_CFLAGS}") # not ours to mend
else()
  set(ONNX_FOUND 0)
endif()
