# The Perl modules.
find_program(PERL_EXECUTABLE perl)
if(NOT PERL_EXECUTABLE OR NOT EXISTS ${PERL_EXECUTABLE})
	message(STATUS "Perl binding: skipped, there is no perl")
	return()
endif()
# Below the site's own prefix perl looks in sitearch, elsewhere in what vendorarch is there.
execute_process(COMMAND ${PERL_EXECUTABLE} -MConfig -e [[
	my ($prefix, $dir) = @Config{$ARGV[0] eq $Config{siteprefixexp} ? qw(siteprefixexp sitearchexp)
		: qw(vendorprefixexp vendorarchexp)};
	s|^\Q$prefix\E/?|| for $dir;
	print join ";", "$Config{archlibexp}/CORE", $dir, split " ", $Config{ccflags}
	]] ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE perl_config)
list(POP_FRONT perl_config perl_core perl_dir)
if(NOT EXISTS ${perl_core}/perl.h)
	message(STATUS "Perl binding: skipped, perl has no ${perl_core}/perl.h (Debian: libperl-dev)")
	return()
endif()
set(IOBENCH_PERL_DIR ${perl_dir} CACHE STRING "The Perl modules' place below the prefix")

set(perl_lib ${PROJECT_BINARY_DIR}/perl)
iobench_swig(perl5 IO::Bench::_swig ${perl_lib}/IO/Bench -noproxy)
add_library(iobench_perl MODULE ${CMAKE_CURRENT_BINARY_DIR}/perl5.c)
target_include_directories(iobench_perl SYSTEM PRIVATE ${perl_core})
target_compile_options(iobench_perl PRIVATE ${perl_config})
set_target_properties(iobench_perl PROPERTIES OUTPUT_NAME _swig C_EXTENSIONS ON
	LIBRARY_OUTPUT_DIRECTORY ${perl_lib}/auto/IO/Bench/_swig)
iobench_module(iobench_perl ${IOBENCH_PERL_DIR}/auto/IO/Bench/_swig)

file(GLOB_RECURSE modules CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR}/perl/lib
	${CMAKE_CURRENT_SOURCE_DIR}/perl/lib/*.pm)
list(FILTER modules EXCLUDE REGEX "_swig\\.pm$") # that Makefile.PL leaves there
iobench_copies(iobench_perl_scripts ${CMAKE_CURRENT_SOURCE_DIR}/perl/lib ${perl_lib} ${modules})
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/perl/lib/ DESTINATION ${IOBENCH_PERL_DIR}
	FILES_MATCHING PATTERN "*.pm" PATTERN "_swig.pm" EXCLUDE)
install(FILES ${perl_lib}/IO/Bench/_swig.pm DESTINATION ${IOBENCH_PERL_DIR}/IO/Bench)

set(IOBENCH_PERL ${PERL_EXECUTABLE} CACHE INTERNAL "")
