# The bindings' tests: tests/python/test_NAME.py and tests/perl/NAME.t are one ctest entry each,
# python.NAME and perl.NAME; scripts NAME.sh beside them too. Marks in comments as above.
set(IOBENCH_BINDINGS_ENV PYTHONPATH=${PROJECT_BINARY_DIR}/python PERL5LIB=${PROJECT_BINARY_DIR}/perl
	PYTHONDONTWRITEBYTECODE=1 PYTHONFAULTHANDLER=1 PYTHON=${IOBENCH_PYTHON} PERL=${IOBENCH_PERL}
	IOBENCH_PYTHON_DIR=${IOBENCH_PYTHON_DIR} IOBENCH_PERL_DIR=${IOBENCH_PERL_DIR}
	${IOBENCH_INTERPRETER_ENV})
if(IOBENCH_SANITIZE)
	list(APPEND IOBENCH_BINDINGS_ENV PYTHONMALLOC=malloc)
endif()

function(iobench_add_binding_test dir name source)
	iobench_add_test(${dir} ${name} ${source} ${ARGN})
	if(TEST ${dir}.${name})
		set_property(TEST ${dir}.${name} APPEND PROPERTY ENVIRONMENT ${IOBENCH_BINDINGS_ENV})
	endif()
endfunction()

function(iobench_binding_tests dir interpreter prefix suffix)
	file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/${prefix}*${suffix})
	foreach(source ${sources})
		get_filename_component(name ${source} NAME_WE)
		if(prefix)
			string(REGEX REPLACE "^${prefix}" "" name ${name})
		endif()
		iobench_add_binding_test(${dir} ${name} ${source} ${interpreter} ${source})
	endforeach()
	file(GLOB scripts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.sh)
	foreach(source ${scripts})
		get_filename_component(name ${source} NAME_WE)
		iobench_add_binding_test(${dir} ${name} ${source} bash ${source})
	endforeach()
endfunction()

if(TARGET iobench_python)
	iobench_binding_tests(python ${IOBENCH_PYTHON} test_ .py)
endif()
if(TARGET iobench_perl)
	iobench_binding_tests(perl ${IOBENCH_PERL} "" .t)
endif()
