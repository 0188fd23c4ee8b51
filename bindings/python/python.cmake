# The Python package.
set(Python3_FIND_STRATEGY LOCATION)
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
	set(Python3_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python3 3.9 COMPONENTS Interpreter Development.Module)
if(NOT Python3_Development.Module_FOUND)
	message(STATUS "Python binding: skipped, there is no Python 3.9 or no header of it (Debian: python3-dev)")
	return()
endif()

# Where this interpreter looks below a prefix. Debian's looks elsewhere below /usr than below others.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.prefix)"
	OUTPUT_VARIABLE python_prefix OUTPUT_STRIP_TRAILING_WHITESPACE)
file(RELATIVE_PATH python_dir ${python_prefix} ${Python3_SITEARCH})
if(python_dir STREQUAL "lib/python3/dist-packages" AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
	set(python_dir lib/python${Python3_VERSION_MAJOR}.${Python3_VERSION_MINOR}/dist-packages)
endif()
set(IOBENCH_PYTHON_DIR ${python_dir} CACHE STRING "The Python package's place below the prefix")

set(package ${PROJECT_BINARY_DIR}/python/iobench)
iobench_swig(python _iobench ${CMAKE_CURRENT_BINARY_DIR}/python-proxies -interface _iobench)
Python3_add_library(iobench_python MODULE WITH_SOABI ${CMAKE_CURRENT_BINARY_DIR}/python.c)
set_target_properties(iobench_python PROPERTIES OUTPUT_NAME _iobench
	LIBRARY_OUTPUT_DIRECTORY ${package})
iobench_module(iobench_python ${IOBENCH_PYTHON_DIR}/iobench)

file(GLOB scripts CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/python/iobench
	${CMAKE_CURRENT_SOURCE_DIR}/python/iobench/*.py
	${CMAKE_CURRENT_SOURCE_DIR}/python/iobench/*.pyi
	${CMAKE_CURRENT_SOURCE_DIR}/python/iobench/py.typed)
iobench_copies(iobench_python_scripts ${CMAKE_CURRENT_SOURCE_DIR}/python/iobench ${package}
	${scripts})

# The parameters' types, from the library's own table.
set(stub ${package}/_workload.pyi)
add_custom_command(OUTPUT ${stub}
	COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${PROJECT_BINARY_DIR}/python PYTHONDONTWRITEBYTECODE=1
		${interpreter_env} ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/python/stubs.py ${stub}
	DEPENDS iobench_python iobench_python_scripts python/stubs.py python/_workload.pyi.in VERBATIM)
add_custom_target(iobench_python_stubs ALL DEPENDS ${stub})

list(TRANSFORM scripts PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/python/iobench/)
install(FILES ${scripts} ${stub} DESTINATION ${IOBENCH_PYTHON_DIR}/iobench)

set(IOBENCH_PYTHON ${Python3_EXECUTABLE} CACHE INTERNAL "")
