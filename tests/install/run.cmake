# Installs the build into a scratch folder, builds strangers' projects against it and runs them.
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
run(${SCRATCH}/build/solve_own 1 ${SCRATCH}/valve.policy)
set(PENUMBRA ${SCRATCH}/moved/bin/penumbra)
run(${PENUMBRA} --version)

# A project of the program: its model is compiled with the installed headers, solved and played.
set(ENV{XDG_CACHE_HOME} ${SCRATCH}/cache)
set(ENV{CXX} ${CXX})
set(OWN ${SCRATCH}/own-problem)
run(${PENUMBRA} new ${OWN})
run(${PENUMBRA} check ${OWN}/own_problem.cpp)
run(${PENUMBRA} solve ${OWN}/own_problem.cpp --time 2s --episodes 1000 -o ${OWN}/own.policy)
run(${CMAKE_COMMAND} -S ${OWN} -B ${OWN}/build -G Ninja -DCMAKE_CXX_COMPILER=${CXX}
  -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_PREFIX_PATH=${SCRATCH}/moved)
run(${CMAKE_COMMAND} --build ${OWN}/build)
run(${CMAKE_CTEST_COMMAND} --test-dir ${OWN}/build --output-on-failure)
run(${OWN}/build/robot ${OWN}/own.policy)
