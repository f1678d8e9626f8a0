#include "tests/analyzer/signatures/explained_rows.h"

using namespace gputrace::tests;

TEST_CASE("attention of many libraries, forward and backward") {
  check_explained({
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext", "tensorrt-llm",
       "attention forward", "attention", "tensorrt-llm: attention forward", "bfloat16"},
      {"aiter::fmha_fwd_hd128_bf16_rtz", "aiter", "attention forward", "attention",
       "aiter: attention forward", "bfloat16"},
      {"attn_fwd", "attention", "attention forward", "attention", "attention: forward", ""},
      {"void flash_bwd_dot_do_o_kernel<true, Flash_bwd_kernel_traits<64, 128, 128, 8, 4, 4, 4, false, false,"
       " cutlass::half_t>>(Flash_bwd_params)",
       "flash-attention", "attention backward, preparation", "attention",
       "flash-attention: attention backward, ...", "half"},
      {"void pytorch_flash::flash_fwd_kernel<pytorch_flash::Flash_fwd_kernel_traits<64, 128, 128, 4, false, "
       "false, cutlass::bfloat16_t, pytorch_flash::Flash_kernel_traits<64, 128, 128, 4, cutlass::bfloat16_t>"
       " >, false, true, false, false, false, true, false>(pytorch_flash::Flash_fwd_params)",
       "flash-attention", "attention forward", "attention", "flash-attention: attention forward", "bfloat16"},
      {"void paged_attention_ll4mi_reduce_kernel<__hip_bfloat16, __hip_bfloat16, 128, 128, 256, 3, false>(__"
       "hip_bfloat16*, float const*, float const*, __hip_bfloat16 const*, int const*, int const*, int, int, "
       "float const*)",
       "vllm", "attention, sum of splits", "attention", "vllm: attention, sum of splits", "bfloat16"},
      {"void ck_tile::kentry<ck_tile::gfx950_t, 2, ck_tile::FmhaBwdOGradDotOKernel<ck_tile::BlockFmhaBwdOGra"
       "dDotO<ck_tile::BlockFmhaBwdOGradDotOPipelineProblem<std::bfloat16_t, std::bfloat16_t, float, 64, 128"
       ", false, ck_tile::TileFmhaBwdOGradDotOTraits<false, false, 2> >, ck_tile::BlockFmhaBwdPipelineDefaul"
       "tPolicy> >, ck_tile::FmhaBwdOGradDotOKernel<ck_tile::BlockFmhaBwdOGradDotO<ck_tile::BlockFmhaBwdOGra"
       "dDotOPipelineProblem<std::bfloat16_t, std::bfloat16_t, float, 64, 128, false, ck_tile::TileFmhaBwdOG"
       "radDotOTraits<false, false, 2> >, ck_tile::BlockFmhaBwdPipelineDefaultPolicy> >::FmhaBwdOGradDotOBat"
       "chModeKargs>(ck_tile::FmhaBwdOGradDotOKernel<ck_tile::BlockFmhaBwdOGradDotO<ck_tile::BlockFmhaBwdOGr"
       "adDotOPipelineProblem<std::bfloat16_t, std::bfloat16_t, float, 64, 128, false, ck_tile::TileFmhaBwdO"
       "GradDotOTraits<false, false, 2> >, ck_tile::BlockFmhaBwdPipelineDefaultPolicy> >::FmhaBwdOGradDotOBa"
       "tchModeKargs) [clone .kd]",
       "composable kernel", "attention backward", "attention", "composable kernel: attention backward",
       "bfloat16"},
      {"transformer_engine::fused_attn_rocm::populate_rng_state_kernel(long*, long const*, long) [clone .kd]",
       "transformer engine", "attention, random state for dropout", "attention",
       "transformer engine: attention, random...", ""},
  });
}

TEST_CASE("head size, causal mask and paged cache are details") {
  const std::string text =
      sentence_of("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128PersistentContext");
  CHECK(text.find("head size 64 · causal · paged key-value cache") != std::string::npos);
}

TEST_CASE("a fused kernel that reads an attention's result is no attention") {
  CHECK(
      gputrace::analyzer::Explainer().explain("triton_red_fused__to_copy_add_fmha_v3_fwd_mean_24").library ==
      "triton");
}

TEST_CASE("the kernel behind a common entry tells library and direction") {
  check_explained({
      {"void cutlass::device_kernel<flash::FlashAttnBwd<flash::CollectiveMainloopBwd<2, "
       "cute::tuple<cute::C<1> > > "
       "> >(flash::Params)",
       "flash-attention", "attention backward", "attention", "flash-attention: attention backward", ""},
      {"void cutlass::device_kernel<flash::enable_sm90_or_later<flash::FlashAttnFwdSm90<flash::Main<2> > > "
       ">(int)",
       "flash-attention", "attention forward", "attention", "flash-attention: attention forward", ""},
  });
}

TEST_CASE("PyTorch's memory-efficient attention: F is forward, B backward") {
  check_explained({
      {"fmha_cutlassF_f16_aligned_64x64_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::half_t>::"
       "Params)",
       "pytorch", "attention forward", "attention", "pytorch: attention forward", "half"},
      {"fmha_cutlassB_f16_aligned_64x64_k64_sm80(PyTorchMemEffAttention::AttentionBackwardKernel<cutlass::"
       "half_t>"
       "::Params)",
       "pytorch", "attention backward", "attention", "pytorch: attention backward", "half"},
  });
}

TEST_CASE("a name with vLLM's words among others is not vLLM's") {
  CHECK(gputrace::analyzer::Explainer().explain("my_reduce_segments(float*)").library == "unknown");
}

TEST_CASE("attention by cuDNN and vLLM") {
  check_explained({
      {"cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7_64x128x128_4x1x1_cga1x1x1_kernel0_"
       "0",
       "cudnn", "attention forward", "attention", "cudnn: attention forward", "half"},
      {"reduce_segments", "vllm", "attention, sum of splits", "attention", "vllm: attention, sum of splits",
       ""},
      {"kernel_unified_attention_3d", "vllm", "attention forward", "attention", "vllm: attention forward",
       ""},
  });
}
