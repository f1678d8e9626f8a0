#include "trace/cupti_callback_names.h"

#include <algorithm>
#include <iterator>

namespace gputrace::trace {
namespace {

struct CallbackName {
  int id;
  std::string_view name;
  friend bool operator<(const CallbackName& a, int id) { return a.id < id; }
};

// Ids as cupti_runtime_cbid.h and cupti_driver_cbid.h number them; they never change once given. Sorted by id.
constexpr CallbackName kRuntimeNames[] = {
    {1, "cudaDriverGetVersion_v3020"}, {2, "cudaRuntimeGetVersion_v3020"}, {3, "cudaGetDeviceCount_v3020"},
    {4, "cudaGetDeviceProperties_v3020"}, {8, "cudaConfigureCall_v3020"}, {9, "cudaSetupArgument_v3020"},
    {10, "cudaGetLastError_v3020"}, {11, "cudaPeekAtLastError_v3020"}, {13, "cudaLaunch_v3020"},
    {14, "cudaFuncSetCacheConfig_v3020"}, {15, "cudaFuncGetAttributes_v3020"}, {16, "cudaSetDevice_v3020"},
    {17, "cudaGetDevice_v3020"}, {18, "cudaSetValidDevices_v3020"}, {19, "cudaSetDeviceFlags_v3020"},
    {20, "cudaMalloc_v3020"}, {21, "cudaMallocPitch_v3020"}, {22, "cudaFree_v3020"},
    {23, "cudaMallocArray_v3020"}, {24, "cudaFreeArray_v3020"}, {25, "cudaMallocHost_v3020"},
    {26, "cudaFreeHost_v3020"}, {27, "cudaHostAlloc_v3020"}, {28, "cudaHostGetDevicePointer_v3020"},
    {30, "cudaMemGetInfo_v3020"}, {31, "cudaMemcpy_v3020"}, {32, "cudaMemcpy2D_v3020"},
    {39, "cudaMemcpyToSymbol_v3020"}, {40, "cudaMemcpyFromSymbol_v3020"}, {41, "cudaMemcpyAsync_v3020"},
    {44, "cudaMemcpy2DAsync_v3020"}, {47, "cudaMemcpyToSymbolAsync_v3020"},
    {48, "cudaMemcpyFromSymbolAsync_v3020"}, {49, "cudaMemset_v3020"}, {50, "cudaMemset2D_v3020"},
    {51, "cudaMemsetAsync_v3020"}, {52, "cudaMemset2DAsync_v3020"}, {53, "cudaGetSymbolAddress_v3020"},
    {126, "cudaThreadSynchronize_v3020"}, {129, "cudaStreamCreate_v3020"}, {130, "cudaStreamDestroy_v3020"},
    {131, "cudaStreamSynchronize_v3020"}, {132, "cudaStreamQuery_v3020"}, {133, "cudaEventCreate_v3020"},
    {134, "cudaEventCreateWithFlags_v3020"}, {135, "cudaEventRecord_v3020"},
    {136, "cudaEventDestroy_v3020"}, {137, "cudaEventSynchronize_v3020"}, {138, "cudaEventQuery_v3020"},
    {139, "cudaEventElapsedTime_v3020"}, {140, "cudaMalloc3D_v3020"}, {144, "cudaMemcpy3D_v3020"},
    {145, "cudaMemcpy3DAsync_v3020"}, {147, "cudaStreamWaitEvent_v3020"},
    {151, "cudaPointerGetAttributes_v4000"}, {152, "cudaHostRegister_v4000"},
    {153, "cudaHostUnregister_v4000"}, {154, "cudaDeviceCanAccessPeer_v4000"},
    {155, "cudaDeviceEnablePeerAccess_v4000"}, {160, "cudaMemcpyPeer_v4000"},
    {161, "cudaMemcpyPeerAsync_v4000"}, {164, "cudaDeviceReset_v3020"},
    {165, "cudaDeviceSynchronize_v3020"}, {166, "cudaDeviceGetLimit_v3020"},
    {167, "cudaDeviceSetLimit_v3020"}, {169, "cudaDeviceSetCacheConfig_v3020"},
    {171, "cudaProfilerStart_v4000"}, {172, "cudaProfilerStop_v4000"},
    {173, "cudaDeviceGetByPCIBusId_v4010"}, {174, "cudaDeviceGetPCIBusId_v4010"},
    {178, "cudaIpcGetMemHandle_v4010"}, {179, "cudaIpcOpenMemHandle_v4010"},
    {180, "cudaIpcCloseMemHandle_v4010"}, {185, "cudaCreateTextureObject_v5000"},
    {197, "cudaStreamAddCallback_v5000"}, {198, "cudaStreamCreateWithFlags_v5000"},
    {200, "cudaDeviceGetAttribute_v5000"}, {201, "cudaStreamDestroy_v5050"},
    {202, "cudaStreamCreateWithPriority_v5050"}, {205, "cudaDeviceGetStreamPriorityRange_v5050"},
    {206, "cudaMallocManaged_v6000"}, {207, "cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6000"},
    {210, "cudaOccupancyMaxActiveBlocksPerMultiprocessor_v6050"}, {211, "cudaLaunchKernel_v7000"},
    {213, "cudaLaunch_ptsz_v7000"}, {214, "cudaLaunchKernel_ptsz_v7000"}, {215, "cudaMemcpy_ptds_v7000"},
    {216, "cudaMemcpy2D_ptds_v7000"}, {223, "cudaMemcpyToSymbol_ptds_v7000"},
    {224, "cudaMemcpyFromSymbol_ptds_v7000"}, {225, "cudaMemcpyAsync_ptsz_v7000"},
    {228, "cudaMemcpy2DAsync_ptsz_v7000"}, {231, "cudaMemcpyToSymbolAsync_ptsz_v7000"},
    {232, "cudaMemcpyFromSymbolAsync_ptsz_v7000"}, {233, "cudaMemset_ptds_v7000"},
    {234, "cudaMemset2D_ptds_v7000"}, {235, "cudaMemsetAsync_ptsz_v7000"},
    {236, "cudaMemset2DAsync_ptsz_v7000"}, {239, "cudaStreamSynchronize_ptsz_v7000"},
    {240, "cudaStreamQuery_ptsz_v7000"}, {242, "cudaEventRecord_ptsz_v7000"},
    {245, "cudaMemcpy3D_ptds_v7000"}, {246, "cudaMemcpy3DAsync_ptsz_v7000"},
    {247, "cudaStreamWaitEvent_ptsz_v7000"}, {248, "cudaStreamAddCallback_ptsz_v7000"},
    {251, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000"},
    {252, "cudaMemPrefetchAsync_v8000"}, {253, "cudaMemPrefetchAsync_ptsz_v8000"},
    {254, "cudaMemAdvise_v8000"}, {269, "cudaLaunchCooperativeKernel_v9000"},
    {270, "cudaLaunchCooperativeKernel_ptsz_v9000"}, {272, "cudaLaunchCooperativeKernelMultiDevice_v9000"},
    {273, "cudaFuncSetAttribute_v9000"}, {284, "cudaLaunchHostFunc_v10000"},
    {285, "cudaLaunchHostFunc_ptsz_v10000"}, {286, "cudaGraphCreate_v10000"},
    {310, "cudaGraphInstantiate_v10000"}, {311, "cudaGraphLaunch_v10000"},
    {312, "cudaGraphLaunch_ptsz_v10000"}, {313, "cudaGraphExecDestroy_v10000"},
    {314, "cudaGraphDestroy_v10000"}, {315, "cudaStreamBeginCapture_v10000"},
    {316, "cudaStreamBeginCapture_ptsz_v10000"}, {317, "cudaStreamIsCapturing_v10000"},
    {318, "cudaStreamIsCapturing_ptsz_v10000"}, {319, "cudaStreamEndCapture_v10000"},
    {320, "cudaStreamEndCapture_ptsz_v10000"}, {324, "cudaStreamGetCaptureInfo_v10010"},
    {325, "cudaStreamGetCaptureInfo_ptsz_v10010"}, {327, "cudaThreadExchangeStreamCaptureMode_v10010"},
    {370, "cudaEventRecordWithFlags_v11010"}, {371, "cudaEventRecordWithFlags_ptsz_v11010"},
    {373, "cudaMallocAsync_v11020"}, {374, "cudaMallocAsync_ptsz_v11020"}, {375, "cudaFreeAsync_v11020"},
    {376, "cudaFreeAsync_ptsz_v11020"}, {391, "cudaMallocFromPoolAsync_v11020"},
    {392, "cudaMallocFromPoolAsync_ptsz_v11020"}, {430, "cudaLaunchKernelExC_v11060"},
    {431, "cudaLaunchKernelExC_ptsz_v11060"}, {440, "cudaGetDeviceProperties_v12000"},
    {443, "cudaGraphInstantiate_v12000"}, {448, "cudaMemAdvise_v12020"},
    {449, "cudaMemPrefetchAsync_v12020"}, {450, "cudaMemPrefetchAsync_ptsz_v12020"},
    {461, "cudaStreamGetCaptureInfo_v12030"}, {462, "cudaStreamGetCaptureInfo_ptsz_v12030"},
    {486, "cudaEventElapsedTime_v12080"},
};

constexpr CallbackName kDriverNames[] = {
    {1, "cuInit"}, {2, "cuDriverGetVersion"}, {3, "cuDeviceGet"}, {4, "cuDeviceGetCount"},
    {5, "cuDeviceGetName"}, {9, "cuDeviceGetAttribute"}, {16, "cuCtxGetDevice"}, {17, "cuCtxSynchronize"},
    {18, "cuModuleLoad"}, {19, "cuModuleLoadData"}, {20, "cuModuleLoadDataEx"},
    {21, "cuModuleLoadFatBinary"}, {22, "cuModuleUnload"}, {23, "cuModuleGetFunction"},
    {38, "cuMemFreeHost"}, {39, "cuMemHostAlloc"}, {85, "cuFuncGetAttribute"}, {86, "cuFuncSetCacheConfig"},
    {118, "cuEventCreate"}, {119, "cuEventRecord"}, {120, "cuEventQuery"}, {121, "cuEventSynchronize"},
    {123, "cuEventElapsedTime"}, {124, "cuStreamCreate"}, {125, "cuStreamQuery"},
    {126, "cuStreamSynchronize"}, {135, "cuGetExportTable"}, {216, "cuMemsetD8Async"},
    {220, "cuMemsetD32Async"}, {235, "cuCtxCreate_v2"}, {241, "cuModuleGetGlobal_v2"},
    {242, "cuMemGetInfo_v2"}, {243, "cuMemAlloc_v2"}, {244, "cuMemAllocPitch_v2"}, {245, "cuMemFree_v2"},
    {249, "cuMemsetD8_v2"}, {251, "cuMemsetD32_v2"}, {259, "cuDeviceTotalMem_v2"}, {276, "cuMemcpyHtoD_v2"},
    {277, "cuMemcpyHtoDAsync_v2"}, {278, "cuMemcpyDtoH_v2"}, {279, "cuMemcpyDtoHAsync_v2"},
    {280, "cuMemcpyDtoD_v2"}, {281, "cuMemcpyDtoDAsync_v2"}, {294, "cuMemAllocHost_v2"},
    {295, "cuStreamWaitEvent"}, {302, "cuMemHostUnregister"}, {303, "cuCtxSetCurrent"},
    {304, "cuCtxGetCurrent"}, {305, "cuMemcpy"}, {306, "cuMemcpyAsync"}, {307, "cuLaunchKernel"},
    {310, "cuPointerGetAttribute"}, {318, "cuMemcpyPeer"}, {319, "cuMemcpyPeerAsync"},
    {322, "cuCtxDestroy_v2"}, {323, "cuCtxPushCurrent_v2"}, {324, "cuCtxPopCurrent_v2"},
    {325, "cuEventDestroy_v2"}, {326, "cuStreamDestroy_v2"}, {328, "cuIpcGetMemHandle"},
    {329, "cuIpcOpenMemHandle"}, {332, "cuDeviceGetPCIBusId"}, {346, "cuStreamAddCallback"},
    {365, "cuLinkComplete"}, {367, "cuStreamCreateWithPriority"}, {371, "cuMemAllocManaged"},
    {374, "cuOccupancyMaxActiveBlocksPerMultiprocessor"}, {379, "cuMemHostRegister_v2"},
    {381, "cuLinkCreate_v2"}, {382, "cuLinkAddData_v2"}, {386, "cuDevicePrimaryCtxRetain"},
    {387, "cuDevicePrimaryCtxRelease"}, {442, "cuLaunchKernel_ptsz"}, {450, "cuPointerGetAttributes"},
    {451, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags"}, {477, "cuLaunchCooperativeKernel"},
    {481, "cuFuncSetAttribute"}, {482, "cuDeviceGetUuid"}, {514, "cuGraphLaunch"},
    {626, "cuGetProcAddress"}, {652, "cuLaunchKernelEx"},
};

template <std::size_t size>
std::string_view find(const CallbackName (&names)[size], std::int64_t id) {
  const auto found = std::lower_bound(std::begin(names), std::end(names), static_cast<int>(id));
  return found != std::end(names) && found->id == id ? found->name : std::string_view();
}

}  // namespace

std::string_view callback_name(ApiClass api, std::int64_t id) {
  return api == ApiClass::runtime ? find(kRuntimeNames, id) : find(kDriverNames, id);
}

}  // namespace gputrace::trace
