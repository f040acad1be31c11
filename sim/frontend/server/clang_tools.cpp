// SPDX-License-Identifier: Apache-2.0
// What the main functions of clang (driver.cpp, cc1_main.cpp) and llvm-spirv (llvm-spirv.cpp) do with the
// arguments that Orrery gives them, with the same libraries. Nothing is freed at the end: the process ends.
#include "clang_tools.h"

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <new>
#include <string>

#include <LLVMSPIRVLib/LLVMSPIRVLib.h>

#include <clang/Basic/DiagnosticFrontend.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/CodeGen/ObjectFilePCHContainerOperations.h>
#include <clang/Driver/Driver.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/FrontendTool/Utils.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/raw_ostream.h>

namespace
{

// As cc1_main.cpp: a fatal error of LLVM is a message like the others, and ends the tool.
void fatal_error(void *diagnostics, const char *message, bool crash)
{
    static_cast<clang::DiagnosticsEngine *>(diagnostics)->Report(clang::diag::err_fe_error_backend)
        << message;
    std::_Exit(crash ? 70 : 1);
}

std::string real_path(const char *path)
{
    char *real = realpath(path, nullptr);
    std::string result = real ? real : path;
    std::free(real);
    return result;
}

int run_clang(int count, const char *const *arguments)
{
    llvm::install_out_of_memory_new_handler();
    auto *clang = new clang::CompilerInstance;
    auto containers = clang->getPCHContainerOperations();
    containers->registerWriter(std::make_unique<clang::ObjectFilePCHContainerWriter>());
    containers->registerReader(std::make_unique<clang::ObjectFilePCHContainerReader>());
    auto *early = new clang::TextDiagnosticBuffer;
    clang::DiagnosticsEngine diagnostics(new clang::DiagnosticIDs, new clang::DiagnosticOptions, early);
    bool success = clang::CompilerInvocation::CreateFromArgs(
        clang->getInvocation(), llvm::makeArrayRef(arguments + 2, static_cast<size_t>(count) - 2),
        diagnostics, arguments[0]);
    auto &search = clang->getHeaderSearchOpts();
    if (search.UseBuiltinIncludes && search.ResourceDir.empty())
        search.ResourceDir = clang::driver::Driver::GetResourcesPath(real_path(arguments[0]));
    clang->createDiagnostics();
    if (!clang->hasDiagnostics())
        return 1;
    llvm::install_fatal_error_handler(fatal_error, &clang->getDiagnostics());
    early->FlushDiagnostics(clang->getDiagnostics());
    if (success)
        success = clang::ExecuteCompilerInvocation(clang);
    else
        clang->getDiagnosticClient().finish();
    llvm::remove_fatal_error_handler();
    std::set_new_handler(nullptr);
    return success ? 0 : 1;
}

// ---- llvm-spirv -------------------------------------------------------------------------------

const char extensions_option[] = "--spirv-ext=";

// llvm_spirv.c gives these; with another one the program has to run.
const char *const known_options[] = {
    "--spirv-max-version=1.3",
    "--spirv-replace-fmuladd-with-ocl-mad=false",
    "--preserve-ocl-kernel-arg-type-metadata-through-string",
    "-o",
    "-",
    "-",
};
constexpr int known_count = sizeof known_options / sizeof *known_options;

using extension_states = SPIRV::TranslatorOpts::ExtensionsStatusMap;

bool set_extension(const std::string &name, extension_states &states)
{
    static const std::map<std::string, SPIRV::ExtensionID> ids = {
#define EXT(X) {#X, SPIRV::ExtensionID::X},
#include <LLVMSPIRVLib/LLVMSPIRVExtensions.inc>
#undef EXT
    };
    for (const auto &id : ids)
        states.emplace(id.second, false);
    const auto found = name.empty() || name[0] != '+' ? ids.end() : ids.find(name.substr(1));
    if (found == ids.end())
        return false;
    states[found->second] = true;
    return true;
}

bool set_extensions(const char *list, extension_states &states)
{
    for (const char *at = list; *at;) {
        const size_t length = std::strcspn(at, ",");
        if (!set_extension(std::string(at, length), states))
            return false;
        at += length + (at[length] == ',');
    }
    return true;
}

bool llvm_spirv_options(int count, const char *const *arguments, extension_states &states)
{
    const size_t length = std::strlen(extensions_option);
    if (count != known_count + 2 || std::strncmp(arguments[1], extensions_option, length) != 0 ||
        !set_extensions(arguments[1] + length, states))
        return false;
    for (int i = 0; i < known_count; i++)
        if (std::strcmp(arguments[2 + i], known_options[i]) != 0)
            return false;
    return true;
}

int run_llvm_spirv(int count, const char *const *arguments)
{
    extension_states states;
    if (!llvm_spirv_options(count, arguments, states))
        return 1;
    SPIRV::TranslatorOpts options(SPIRV::VersionNumber::SPIRV_1_3, states);
    options.setReplaceLLVMFmulAddWithOpenCLMad(false);
    options.setPreserveOCLKernelArgTypeMetadataThroughString(true);
    llvm::ExitOnError exit_on_error;
    auto *context = new llvm::LLVMContext;
    auto buffer = exit_on_error(llvm::errorOrToExpected(llvm::MemoryBuffer::getSTDIN()));
    auto *module =
        exit_on_error(llvm::getOwningLazyBitcodeModule(std::move(buffer), *context, true)).release();
    exit_on_error(module->materializeAll());
    std::string error;
    if (!llvm::writeSpirv(module, options, std::cout, error)) {
        llvm::errs() << "Fails to save LLVM as SPIR-V: " << error << '\n';
        return 255;
    }
    std::cout.flush();
    return 0;
}

} // namespace

extern "C" bool tool_accepts(enum compile_tool tool, int count, const char *const *arguments)
{
    extension_states states;
    if (tool == COMPILE_CLANG)
        return count > 2 && std::strcmp(arguments[1], "-cc1") == 0;
    return tool == COMPILE_LLVM_SPIRV && llvm_spirv_options(count, arguments, states);
}

extern "C" int tool_run(enum compile_tool tool, int count, const char *const *arguments)
{
    const int status = tool == COMPILE_CLANG ? run_clang(count, arguments) : run_llvm_spirv(count, arguments);
    llvm::outs().flush();
    return status;
}
