//! Memory, copies and fills, through the loader.

mod support;

use std::ffi::c_void;
use std::ptr::null_mut;

use support::*;

fn kind(ze: &Ze, pointer: *const c_void) -> (ze_memory_type_t, u64, ze_device_handle_t) {
    let mut properties = ze_memory_allocation_properties_t {
        stype: ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES,
        ..Default::default()
    };
    let mut device = null_mut();
    ok!(ze, zeMemGetAllocProperties(ze.context, pointer, &mut properties, &mut device));
    (properties.type_, properties.id, device)
}

#[test]
fn allocations_are_known_by_every_address_in_them() {
    let Some(ze) = Ze::new() else { return };
    let (device, host, shared) = (ze.device_memory(100), ze.host_memory(100), ze.shared_memory(100));
    let mut ids = Vec::new();
    let kinds = [(&device, ZE_MEMORY_TYPE_DEVICE), (&host, ZE_MEMORY_TYPE_HOST), (&shared, ZE_MEMORY_TYPE_SHARED)];
    for (memory, expected) in kinds {
        assert_eq!(memory.pointer as usize % 64, 0);
        let last = memory.pointer.wrapping_byte_add(99);
        let (found, id, on) = kind(&ze, last);
        assert_eq!(found, expected);
        assert_eq!(on, if expected == ZE_MEMORY_TYPE_HOST { null_mut() } else { ze.device });
        ids.push(id);
        let (mut base, mut size) = (null_mut(), 0);
        ok!(ze, zeMemGetAddressRange(ze.context, last, &mut base, &mut size));
        assert_eq!((base, size), (memory.pointer, 100));
    }
    ids.dedup();
    assert_eq!(ids.len(), 3);
    let on_stack = 0u8;
    assert_eq!(kind(&ze, (&raw const on_stack).cast()).0, ZE_MEMORY_TYPE_UNKNOWN);
}

#[test]
fn an_allocation_belongs_to_its_context() {
    let (Some(ze), Some(other)) = (Ze::new(), Ze::new()) else { return };
    let memory = ze.device_memory(64);
    assert_eq!(kind(&other, memory.pointer).0, ZE_MEMORY_TYPE_UNKNOWN);
    assert_eq!(code!(other, zeMemFree(other.context, memory.pointer)), ZE_RESULT_ERROR_INVALID_ARGUMENT);
    ok!(ze, zeContextMakeMemoryResident(ze.context, ze.device, memory.pointer, 64));
    ok!(ze, zeContextEvictMemory(ze.context, ze.device, memory.pointer, 64));
}

#[test]
fn sizes_and_alignments_that_cannot_be_are_refused() {
    let Some(ze) = Ze::new() else { return };
    let desc = ze_device_mem_alloc_desc_t { stype: ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, ..Default::default() };
    let mut pointer = null_mut();
    let mut allocate =
        |size, alignment| code!(ze, zeMemAllocDevice(ze.context, &desc, size, alignment, ze.device, &mut pointer));
    assert_eq!(allocate(0, 64), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_eq!(allocate(usize::MAX, 64), ZE_RESULT_ERROR_UNSUPPORTED_SIZE);
    assert_eq!(allocate(64, 48), ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT);
    let nowhere = code!(ze, zeMemAllocDevice(ze.context, &desc, 64, 64, ze.device, null_mut()));
    assert_eq!(nowhere, ZE_RESULT_ERROR_INVALID_NULL_POINTER);
}

#[test]
fn patterns_of_any_size_and_place_fill_just_their_range() {
    let Some(ze) = Ze::new() else { return };
    let memory = ze.device_memory(256);
    let list = ze.immediate();
    let fill = |offset: usize, pattern: &[u8], size: usize| {
        let to = memory.pointer.wrapping_byte_add(offset);
        let (from, n) = (pattern.as_ptr().cast(), pattern.len());
        ok!(ze, zeCommandListAppendMemoryFill(list, to, from, n, size, null_mut(), 0, null_mut()));
    };
    let mut expected = vec![0u8; 256];
    fill(0, &[0], 256);
    let large: Vec<u8> = (14..150).collect();
    // One that OpenCL takes, and four that it does not: out of place, of an odd size, cut off, too large.
    let patterns: [(usize, &[u8], usize); 5] =
        [(0, &[1, 2, 3, 4], 16), (17, &[5, 6], 8), (40, &[7, 8, 9], 9), (64, &[10, 11, 12, 13], 6), (80, &large, 136)];
    for (offset, pattern, size) in patterns {
        fill(offset, pattern, size);
        let text = pattern.iter().cycle().take(size);
        for (place, byte) in expected[offset..].iter_mut().zip(text) {
            *place = *byte;
        }
    }
    ze.finish(list);
    assert_eq!(ze.read::<u8>(memory.pointer, 256), expected);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn a_region_is_copied_and_nothing_around_it() {
    let Some(ze) = Ze::new() else { return };
    let source: Vec<u8> = (0..240).collect();
    let memory = ze.device_memory(240);
    let list = ze.immediate();
    ok!(
        ze,
        zeCommandListAppendMemoryFill(list, memory.pointer, [255u8].as_ptr().cast(), 1, 240, null_mut(), 0, null_mut())
    );
    // Boxes of 3 × 2 × 2: in rows of 8 and slices of 40 from (1, 2, 1), to rows of 10 and slices of 60 from (4, 0, 2).
    let from = ze_copy_region_t { originX: 1, originY: 2, originZ: 1, width: 3, height: 2, depth: 2 };
    let to = ze_copy_region_t { originX: 4, originY: 0, originZ: 2, width: 3, height: 2, depth: 2 };
    let text = source.as_ptr().cast();
    ok!(
        ze,
        zeCommandListAppendMemoryCopyRegion(
            list,
            memory.pointer,
            &to,
            10,
            60,
            text,
            &from,
            8,
            40,
            null_mut(),
            0,
            null_mut()
        )
    );
    ze.finish(list);
    let mut expected = vec![255u8; 240];
    for z in 0..2 {
        for y in 0..2 {
            for x in 0..3 {
                expected[4 + x + y * 10 + (2 + z) * 60] = source[1 + x + (2 + y) * 8 + (1 + z) * 40];
            }
        }
    }
    assert_eq!(ze.read::<u8>(memory.pointer, 240), expected);
    ok!(ze, zeCommandListDestroy(list));
}

#[test]
fn memory_that_is_freed_while_it_is_used_goes_afterwards() {
    let Some(ze) = Ze::new() else { return };
    if ze.zeMemFreeExt.is_none() {
        println!("skipped: the loader has no zeMemFreeExt");
        return;
    }
    let mut offered = ze_driver_memory_free_ext_properties_t {
        stype: ZE_STRUCTURE_TYPE_DRIVER_MEMORY_FREE_EXT_PROPERTIES,
        ..Default::default()
    };
    let mut properties = ze_driver_properties_t {
        stype: ZE_STRUCTURE_TYPE_DRIVER_PROPERTIES,
        pNext: (&raw mut offered).cast(),
        ..Default::default()
    };
    ok!(ze, zeDriverGetProperties(ze.driver, &mut properties));
    let policies =
        [ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE, ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE];
    for policy in policies {
        assert_ne!(offered.freePolicies & policy, 0);
        let out = ze.host_memory(1 << 20);
        let events = ze.events(0, 2);
        let list = ze.immediate();
        let source = std::mem::ManuallyDrop::new(ze.device_memory(1 << 20));
        let seven = [7u8];
        let (to, from) = (source.pointer, seven.as_ptr().cast());
        ok!(ze, zeCommandListAppendMemoryFill(list, to, from, 1, source.size, null_mut(), 0, null_mut()));
        ze.copy(list, out.pointer, source.pointer, source.size, events.get(1), &[events.get(0)]);
        let desc = ze_memory_free_ext_desc_t {
            stype: ZE_STRUCTURE_TYPE_MEMORY_FREE_EXT_DESC,
            freePolicy: policy,
            ..Default::default()
        };
        ok!(ze, zeMemFreeExt(ze.context, &desc, source.pointer));
        assert_eq!(kind(&ze, source.pointer).0, ZE_MEMORY_TYPE_UNKNOWN);
        // Memory that comes after it would lie in its place.
        let mut others: Vec<Memory> = (0..8).map(|_| ze.host_memory(1 << 20)).collect();
        others.iter_mut().for_each(|other| other.as_mut_slice::<u8>().fill(1));
        ok!(ze, zeEventHostSignal(events.get(0)));
        ok!(ze, zeEventHostSynchronize(events.get(1), u64::MAX));
        assert!(out.as_slice::<u8>().iter().all(|byte| *byte == 7));
        ok!(ze, zeCommandListDestroy(list));
    }
}
