# cmake -DFOLDER=WHERE -P onnx_names.cmake: what protoc-c generated gets names of ours, so that a program may have been generated from the
# same schema and be linked to libtips.a.
foreach(file IN ITEMS onnx.pb-c.c onnx.pb-c.h)
  file(READ ${FOLDER}/${file} text)
  string(REGEX REPLACE "([^a-z_])onnx__" "\\1tips__onnx__" text "${text}")
  file(WRITE ${FOLDER}/${file} "${text}")
endforeach()
