# Writes OUTPUT, a C++ source in which the function NAME of HEADER returns the text of INPUT.
#   cmake -DINPUT=file -DOUTPUT=file -DNAME=function -DHEADER=path -P embed_text.cmake
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "// Made by cmake/embed_text.cmake.
#include \"${HEADER}\"

namespace penumbra {

const char* ${NAME}() {
  return R\"_text_(${text})_text_\";
}

}  // namespace penumbra
")
