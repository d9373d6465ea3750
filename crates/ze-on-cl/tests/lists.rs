//! Command lists and events, through the loader.

mod support;

use std::ptr::null_mut;

use support::*;

const SOURCE: &str = "
    kernel void add(global int *to, int value) { to[get_global_id(0)] += value; }
    kernel void scale(global int *to, int value, local int *scratch) {
        scratch[get_local_id(0)] = to[get_global_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        to[get_global_id(0)] = scratch[get_local_id(0)] * value;
    }";

#[test]
fn kernels_of_an_immediate_list_run_in_order_with_the_arguments_of_their_time() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let (add, scale) = (ze.kernel(module, "add"), ze.kernel(module, "scale"));
    let memory = ze.device_memory(64 * 4);
    let list = ze.immediate();
    let zero = 0u32;
    ok!(
        ze,
        zeCommandListAppendMemoryFill(
            list,
            memory.pointer,
            (&raw const zero).cast(),
            4,
            memory.size,
            null_mut(),
            0,
            null_mut()
        )
    );
    for kernel in [add, scale] {
        ok!(ze, zeKernelSetGroupSize(kernel, 16, 1, 1));
        ze.set(kernel, 0, memory.pointer);
    }
    ok!(ze, zeKernelSetArgumentValue(scale, 2, 64, std::ptr::null()));
    for value in [1i32, 2, 3] {
        ze.set(add, 1, value);
        ze.launch(list, add, 4, null_mut(), &[]);
        ze.set(scale, 1, value);
        ze.launch(list, scale, 4, null_mut(), &[]);
    }
    ze.finish(list);
    assert_eq!(ze.read::<i32>(memory.pointer, 64), [((1 + 2) * 2 + 3) * 3; 64]);
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeKernelDestroy(scale));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_wait_before_its_signal_holds_work_back() {
    let Some(ze) = Ze::new() else { return };
    let module = ze.module(SOURCE);
    let add = ze.kernel(module, "add");
    let mut memory = ze.host_memory(4);
    memory.as_mut_slice::<i32>()[0] = 5;
    let events = ze.events(0, 2);
    let (first, second) = (ze.immediate(), ze.immediate());
    ze.set(add, 0, memory.pointer);
    ze.set(add, 1, 7i32);
    // The second list waits for what the first will do, which waits for the host.
    ze.launch(second, add, 1, events.get(1), &[events.get(0)]);
    ze.set(add, 1, 100i32);
    assert_eq!(code!(ze, zeEventHostSynchronize(events.get(1), 20_000_000)), ZE_RESULT_NOT_READY);
    assert_eq!(memory.as_slice::<i32>()[0], 5);
    ok!(ze, zeCommandListAppendSignalEvent(first, events.get(0)));
    ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
    assert_eq!(memory.as_slice::<i32>()[0], 12);
    ok!(ze, zeKernelDestroy(add));
    ok!(ze, zeModuleDestroy(module));
    ok!(ze, zeCommandListDestroy(first));
    ok!(ze, zeCommandListDestroy(second));
}
