# Installs the build into a scratch folder, builds the consumer against it and runs the result.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}\nfailed with ${code}:\n${out}")
  endif()
endfunction()

if(SANITIZE)
  string(APPEND FLAGS " -fsanitize=${SANITIZE}")
endif()
file(REMOVE_RECURSE ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
# Moved: a package that remembers where it was made would not be found.
file(RENAME ${SCRATCH}/prefix ${SCRATCH}/moved)
run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${SCRATCH}/build -G Ninja -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
run(${SCRATCH}/build/consumer)
run(${SCRATCH}/moved/bin/penumbra --version)
