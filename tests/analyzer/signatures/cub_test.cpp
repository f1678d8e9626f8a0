#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("device-wide algorithms of CUB, Thrust and rocPRIM") {
  check_explained({
      {"_ZN3cub16DeviceScanKernelINS_16DeviceScanPolicyIfE9Policy600EPfS4_NS_13ScanTileStateIfLb1EEENS_3SumE"
       "NS_8NullTypeEifEEvT0_T1_T2_iT3_T4_T5_",
       "cub", "scan", "reduction", "cub: scan (sum)", "float"},
      {"_ZN3cub28DeviceReduceSingleTileKernelINS_18DeviceReducePolicyINS_12KeyValuePairIifEEiNS_6ArgMinEE9Po"
       "licy600EPS3_S7_iS4_S3_S3_EEvT0_T1_T2_T3_T4_",
       "cub", "reduction", "reduction", "cub: reduction (argmin)", "int"},
      {"void cub::DeviceRadixSortOnesweepKernel<cub::DeviceRadixSortPolicy<long, int, int>::Policy800, false"
       ", long, int, int, int>(int*, int*, int*, int const*, long*, long const*, int*, int const*, int, int,"
       " int)",
       "cub", "radix sort", "other", "cub: radix sort", "int64"},
      {"_ZN3cub30DeviceMergeSortPartitionKernelIN6thrust12zip_iteratorINS1_5tupleINS1_10device_ptrImEENS4_Id"
       "EENS1_9null_typeES7_S7_S7_S7_S7_S7_S7_EEEElNS1_4lessINS3_ImdS7_S7_S7_S7_S7_S7_S7_S7_EEEESB_EEvbT_PT2"
       "_T0_SG_PSG_T1_SG_i",
       "cub", "merge sort", "other", "cub: merge sort", "uint64"},
      {"_ZN6thrust8cuda_cub4core13_kernel_agentINS0_14__parallel_for16ParallelForAgentINS0_11__transform18bi"
       "nary_transform_fINS_17counting_iteratorImNS_11use_defaultES8_S8_EENS_17constant_iteratorIlS8_S8_EENS"
       "_10device_ptrImEENS5_14no_stencil_tagENS_7modulusImEENS5_21always_true_predicateEEExEESI_xEEvT0_T1_",
       "thrust", "transform", "element-wise", "thrust: transform", "uint64"},
      {"void rocprim::ROCPRIM_400001_NS::detail::partition_kernel<(rocprim::ROCPRIM_400001_NS::detail::selec"
       "t_method)3, true, rocprim::ROCPRIM_400001_NS::detail::wrapped_partition_config<rocprim::ROCPRIM_4000"
       "01_NS::default_config, (rocprim::ROCPRIM_400001_NS::detail::partition_subalgo)8, int, rocprim::ROCPR"
       "IM_400001_NS::empty_type>, int const*, rocprim::ROCPRIM_400001_NS::empty_type*, rocprim::ROCPRIM_400"
       "001_NS::empty_type const*, rocprim::ROCPRIM_400001_NS::tuple<int*, rocprim::ROCPRIM_400001_NS::empty"
       "_type>, rocprim::ROCPRIM_400001_NS::tuple<rocprim::ROCPRIM_400001_NS::empty_type*, rocprim::ROCPRIM_"
       "400001_NS::empty_type*>, rocprim::ROCPRIM_400001_NS::detail::inequality_wrapper<hipcub::HIPCUB_40000"
       "0_NS::Equality>, rocprim::ROCPRIM_400001_NS::detail::lookback_scan_state<unsigned int, false, true>,"
       " rocprim::ROCPRIM_400001_NS::detail::block_id_wrapper<unsigned int, false>, rocprim::ROCPRIM_400001_"
       "NS::empty_type>(int const*, rocprim::ROCPRIM_400001_NS::empty_type*, rocprim::ROCPRIM_400001_NS::emp"
       "ty_type const*, rocprim::ROCPRIM_400001_NS::tuple<int*, rocprim::ROCPRIM_400001_NS::empty_type>, roc"
       "prim::ROCPRIM_400001_NS::tuple<rocprim::ROCPRIM_400001_NS::empty_type*, rocprim::ROCPRIM_400001_NS::"
       "empty_type*>, unsigned long*, unsigned long*, unsigned long, unsigned long, rocprim::ROCPRIM_400001_"
       "NS::detail::inequality_wrapper<hipcub::HIPCUB_400000_NS::Equality>, rocprim::ROCPRIM_400001_NS::deta"
       "il::lookback_scan_state<unsigned int, false, true>, unsigned int, rocprim::ROCPRIM_400001_NS::detail"
       "::vsmem_t, rocprim::ROCPRIM_400001_NS::detail::block_id_wrapper<unsigned int, false>, rocprim::ROCPR"
       "IM_400001_NS::empty_type) [clone .kd]",
       "rocprim", "partition", "other", "rocprim: partition", "int"},
      {"_ZN7rocprim17ROCPRIM_400001_NS6detail45device_block_merge_mergepath_partition_kernelINS1_37wrapped_m"
       "erge_sort_block_merge_configINS0_14default_configEbN2at4cuda3cub6detail10OpaqueTypeILi8EEEEEPbjNS1_1"
       "9radix_merge_compareILb0ELb0EbNS0_19identity_decomposerEEEEEvT0_T1_jPSH_T2_SH_.kd",
       "rocprim", "merge sort", "other", "rocprim: merge sort", "int"},
      {"void at_cuda_detail::cub::DeviceScanInitKernel<at_cuda_detail::cub::ScanTileState<float, true> >(at_"
       "cuda_detail::cub::ScanTileState<float, true>, int)",
       "cub", "scan", "reduction", "cub: scan", "float"},
  });
}
