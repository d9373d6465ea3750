// oneDNN's own C++ API, which is headers over the C functions, with this library underneath.

#include <numeric>
#include <vector>

#include "opencl.h"

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_ocl.hpp"

using namespace dnnl;
using tag = memory::format_tag;
using type = memory::data_type;

static void a_matmul_in_the_callers_objects() {
    OPEN_OR_SKIP(ocl);
    try {
        constexpr int M = 4, K = 3, N = 5;
        engine eng = ocl_interop::make_engine(ocl.device, ocl.context);
        stream strm = ocl_interop::make_stream(eng, ocl.queue);
        CHECK(ocl_interop::get_context(eng) == ocl.context);
        CHECK(ocl_interop::get_command_queue(strm) == ocl.queue);

        memory::desc src_md({M, K}, type::f32, tag::ab), weights_md({K, N}, type::f32, tag::ab);
        memory::desc dst_md({M, N}, type::f32, tag::ab);
        post_ops ops;
        ops.append_eltwise(algorithm::eltwise_linear, 2.f, 1.f);
        primitive_attr attr;
        attr.set_post_ops(ops);
        matmul::primitive_desc pd(eng, src_md, weights_md, dst_md, attr);
        CHECK(pd.dst_desc() == dst_md);

        std::vector<float> a(M * K), b(K * N), d(M * N);
        std::iota(a.begin(), a.end(), -3.f);
        std::iota(b.begin(), b.end(), -7.f);
        cl_mem a_buffer = new_buffer(ocl.context, a.size() * sizeof(float), a.data());
        cl_mem b_buffer = new_buffer(ocl.context, b.size() * sizeof(float), b.data());
        cl_mem d_buffer = new_buffer(ocl.context, d.size() * sizeof(float), nullptr);
        {
            memory src = ocl_interop::make_memory(src_md, eng, a_buffer);
            memory weights = ocl_interop::make_memory(weights_md, eng, b_buffer);
            memory dst = ocl_interop::make_memory(dst_md, eng, d_buffer);
            CHECK(ocl_interop::get_mem_object(dst) == d_buffer);
            cl_event done = ocl_interop::execute(matmul(pd), strm,
                    {{DNNL_ARG_SRC, src}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, dst}}, std::vector<cl_event> {});
            CL(clEnqueueReadBuffer(
                    ocl.queue, d_buffer, CL_TRUE, 0, d.size() * sizeof(float), d.data(), 1, &done, NULL));
            CL(clReleaseEvent(done));
        }
        for (int m = 0; m < M; m++)
            for (int n = 0; n < N; n++) {
                float sum = 0;
                for (int k = 0; k < K; k++) sum += a[m * K + k] * b[k * N + n];
                CHECK(d[m * N + n] == 2 * sum + 1);
            }
        CL(clReleaseMemObject(a_buffer));
        CL(clReleaseMemObject(b_buffer));
        CL(clReleaseMemObject(d_buffer));
    } catch (const error &e) {
        check(0, __FILE__, __LINE__, e.what());
    }
    close_opencl(&ocl);
}

static void a_reorder_on_the_cpu_engine() {
    try {
        engine eng(engine::kind::cpu, 0);
        stream strm(eng);
        std::vector<float> in(6), out(6);
        std::iota(in.begin(), in.end(), 1.f);
        memory src({{2, 3}, type::f32, tag::ab}, eng, in.data()), dst({{2, 3}, type::f32, tag::ba}, eng, out.data());
        reorder(src, dst).execute(strm, src, dst);
        strm.wait();
        CHECK(out == std::vector<float>({1, 4, 2, 5, 3, 6}));
    } catch (const error &e) {
        check(0, __FILE__, __LINE__, e.what());
    }
}

static void errors_become_exceptions() {
    try {
        engine(engine::kind::cpu, 7);
        check(0, __FILE__, __LINE__, "there is no CPU engine 7");
    } catch (const error &e) {
        CHECK(e.status == dnnl_invalid_arguments);
    }
}

int main() {
    const test_t tests[] = {
            TEST(a_matmul_in_the_callers_objects),
            TEST(a_reorder_on_the_cpu_engine),
            TEST(errors_become_exceptions),
    };
    return RUN(tests);
}
