//! Programs and kernels of OpenCL.

use std::ffi::{CStr, CString, c_void};

use opencl_sys::*;

use super::device::Sharing;
use super::{Cl, ClError, Result, api, check, info, text};

/// A program that this code holds a reference to.
pub(crate) struct Program {
    program: cl_program,
    cl: &'static Cl,
}

// SAFETY: OpenCL's programs may be used from any thread.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that this value stands for.
        unsafe { (api().clReleaseProgram)(self.program) };
    }
}

impl Program {
    fn new(cl: &'static Cl, program: cl_program, code: cl_int) -> Result<Program> {
        check(code)?;
        Ok(Program { program, cl })
    }

    pub(crate) fn from_source(cl: &'static Cl, source: &[u8]) -> Result<Program> {
        let mut code = 0;
        let mut text = source.as_ptr().cast();
        // SAFETY: the text has the length that is given.
        let program =
            unsafe { (api().clCreateProgramWithSource)(cl.context, 1, &raw mut text, &source.len(), &mut code) };
        Program::new(cl, program, code)
    }

    pub(crate) fn from_spirv(cl: &'static Cl, words: &[u8]) -> Result<Program> {
        let create = api().clCreateProgramWithIL.ok_or(ClError(CL_INVALID_OPERATION))?;
        let mut code = 0;
        // SAFETY: the words have the length that is given.
        let program = unsafe { create(cl.context, words.as_ptr().cast(), words.len(), &mut code) };
        Program::new(cl, program, code)
    }

    pub(crate) fn from_binary(cl: &'static Cl, binary: &[u8]) -> Result<Program> {
        let mut code = 0;
        let mut pointer = binary.as_ptr();
        // SAFETY: one device and one binary of the length that is given.
        let program = unsafe {
            (api().clCreateProgramWithBinary)(
                cl.context,
                1,
                &cl.device,
                &binary.len(),
                &raw mut pointer,
                std::ptr::null_mut(),
                &mut code,
            )
        };
        Program::new(cl, program, code)
    }

    /// Gives a specialization constant its value.
    pub(crate) fn specialize(&self, id: u32, value: &[u8]) -> Result {
        let set = api().clSetProgramSpecializationConstant.ok_or(ClError(CL_INVALID_OPERATION))?;
        // SAFETY: the value has the length that is given.
        check(unsafe { set(self.program, id, value.len(), value.as_ptr().cast()) })
    }

    /// Compiles and links.
    pub(crate) fn build(&self, options: &CStr) -> Result {
        let device = &self.cl.device;
        // SAFETY: one device of the program's context, without a callback.
        check(unsafe { (api().clBuildProgram)(self.program, 1, device, options.as_ptr(), None, std::ptr::null_mut()) })
    }

    /// Compiles without linking.
    pub(crate) fn compile(&self, options: &CStr) -> Result {
        let device = &self.cl.device;
        // SAFETY: one device of the program's context, no headers, without a callback.
        check(unsafe {
            (api().clCompileProgram)(
                self.program,
                1,
                device,
                options.as_ptr(),
                0,
                std::ptr::null(),
                std::ptr::null_mut(),
                None,
                std::ptr::null_mut(),
            )
        })
    }

    /// Links compiled programs. The second result is the program, if there is one that a log can be asked of.
    pub(crate) fn link(cl: &'static Cl, programs: &[&Program], options: &CStr) -> (Result, Option<Program>) {
        let handles: Vec<cl_program> = programs.iter().map(|program| program.program).collect();
        let mut code = 0;
        // SAFETY: one device and live programs of one context, without a callback.
        let program = unsafe {
            (api().clLinkProgram)(
                cl.context,
                1,
                &cl.device,
                options.as_ptr(),
                handles.len() as cl_uint,
                handles.as_ptr(),
                None,
                std::ptr::null_mut(),
                &mut code,
            )
        };
        (check(code), (!program.is_null()).then_some(Program { program, cl }))
    }

    /// What the compiler had to say.
    pub(crate) fn log(&self) -> String {
        // SAFETY: the results have the room that their size says.
        info(|size, value, actual| unsafe {
            (api().clGetProgramBuildInfo)(self.program, self.cl.device, CL_PROGRAM_BUILD_LOG, size, value, actual)
        })
        .map(text)
        .unwrap_or_default()
    }

    /// The names of the kernels of a built program.
    pub(crate) fn kernel_names(&self) -> Result<Vec<String>> {
        let names = match self.info(CL_PROGRAM_KERNEL_NAMES) {
            // Intel's runtime says that of a program without any.
            Err(ClError(CL_INVALID_PROGRAM_EXECUTABLE)) => String::new(),
            names => text(names?),
        };
        Ok(names.split(';').filter(|name| !name.is_empty()).map(str::to_owned).collect())
    }

    /// Its machine code.
    pub(crate) fn binary(&self) -> Result<Vec<u8>> {
        let size = *self.info::<usize>(CL_PROGRAM_BINARY_SIZES)?.first().ok_or(ClError(CL_INVALID_PROGRAM))?;
        let mut binary = vec![0u8; size];
        let mut pointer = binary.as_mut_ptr();
        // SAFETY: one device, so one pointer, to as many bytes as were asked for.
        check(unsafe {
            (api().clGetProgramInfo)(
                self.program,
                CL_PROGRAM_BINARIES,
                size_of_val(&pointer),
                (&raw mut pointer).cast(),
                std::ptr::null_mut(),
            )
        })?;
        Ok(binary)
    }

    fn info<T: Copy + Default>(&self, name: cl_program_info) -> Result<Vec<T>> {
        // SAFETY: the results have the room that their size says.
        info(|size, value, actual| unsafe { (api().clGetProgramInfo)(self.program, name, size, value, actual) })
    }

    /// The size and address of a variable.
    pub(crate) fn global(&self, name: &CStr) -> Result<(usize, *mut c_void)> {
        let globals = self.cl.globals.as_ref().ok_or(ClError(CL_INVALID_OPERATION))?;
        let (mut size, mut pointer) = (0, std::ptr::null_mut());
        // SAFETY: both results have room and the name is terminated.
        check(unsafe {
            (globals.clGetDeviceGlobalVariablePointerINTEL)(
                self.cl.device,
                self.program,
                name.as_ptr(),
                &mut size,
                &mut pointer,
            )
        })?;
        Ok((size, pointer))
    }

    /// The address of a function.
    pub(crate) fn function(&self, name: &CStr) -> Result<*mut c_void> {
        let functions = self.cl.functions.as_ref().ok_or(ClError(CL_INVALID_OPERATION))?;
        let mut address = 0;
        // SAFETY: the result has room and the name is terminated.
        check(unsafe {
            (functions.clGetDeviceFunctionPointerINTEL)(self.cl.device, self.program, name.as_ptr(), &mut address)
        })?;
        Ok(address as *mut c_void)
    }

    pub(crate) fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = CString::new(name).map_err(|_| ClError(CL_INVALID_KERNEL_NAME))?;
        let mut code = 0;
        // SAFETY: the name is terminated.
        let kernel = unsafe { (api().clCreateKernel)(self.program, name.as_ptr(), &mut code) };
        check(code)?;
        Ok(Kernel(kernel))
    }
}

/// A kernel that this code holds a reference to. OpenCL lets only one thread at a time set its arguments.
pub(crate) struct Kernel(pub(super) cl_kernel);

// SAFETY: OpenCL's kernels may be used from any thread, one at a time.
unsafe impl Send for Kernel {}

impl Drop for Kernel {
    fn drop(&mut self) {
        // SAFETY: gives back the reference that this value stands for.
        unsafe { (api().clReleaseKernel)(self.0) };
    }
}

impl Kernel {
    /// Gives an argument its bytes.
    pub(crate) fn set_bytes(&mut self, index: u32, bytes: &[u8]) -> Result {
        // SAFETY: the bytes have the length that is given; OpenCL copies them.
        check(unsafe { (api().clSetKernelArg)(self.0, index, bytes.len(), bytes.as_ptr().cast()) })
    }

    /// Gives an argument local memory.
    pub(crate) fn set_local(&mut self, index: u32, size: usize) -> Result {
        // SAFETY: a null value stands for local memory.
        check(unsafe { (api().clSetKernelArg)(self.0, index, size, std::ptr::null()) })
    }

    /// Gives an argument a pointer.
    pub(crate) fn set_pointer(&mut self, cl: &Cl, index: u32, pointer: usize) -> Result {
        match &cl.any_pointer {
            // SAFETY: the pointer is not used before a launch.
            Some(svm) => check(unsafe { (svm.clSetKernelArgSVMPointer)(self.0, index, pointer as *const c_void) }),
            None => self.set_shared_pointer(cl, index, pointer),
        }
    }

    /// Gives an argument a pointer as memory that host and device share; an error if the argument is none.
    pub(crate) fn set_shared_pointer(&mut self, cl: &Cl, index: u32, pointer: usize) -> Result {
        let pointer = pointer as *const c_void;
        // SAFETY: the pointer is not used before a launch.
        check(unsafe {
            match &cl.sharing {
                Sharing::Usm(usm) => (usm.clSetKernelArgMemPointerINTEL)(self.0, index, pointer),
                Sharing::Svm { functions, .. } => (functions.clSetKernelArgSVMPointer)(self.0, index, pointer),
            }
        })
    }

    /// Says that it reaches allocations through pointers that are not arguments.
    pub(crate) fn set_indirect(&mut self, cl: &Cl, host: bool, device: bool, shared: bool) -> Result {
        let (Sharing::Usm(_), Some(set)) = (&cl.sharing, api().clSetKernelExecInfo) else { return Ok(()) };
        let flags = [
            (CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, host),
            (CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, device),
            (CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, shared),
        ];
        for (name, value) in flags {
            let value: cl_bool = if value { CL_TRUE } else { CL_FALSE };
            // SAFETY: the value is a `cl_bool`, as the extension has it.
            check(unsafe { set(self.0, name, size_of_val(&value), (&raw const value).cast()) })?;
        }
        Ok(())
    }

    /// How many arguments it has.
    pub(crate) fn argument_count(&self) -> Result<u32> {
        // SAFETY: the results have the room that their size says.
        let counts = info::<cl_uint>(|size, value, actual| unsafe {
            (api().clGetKernelInfo)(self.0, CL_KERNEL_NUM_ARGS, size, value, actual)
        })?;
        counts.first().copied().ok_or(ClError(CL_INVALID_KERNEL))
    }

    /// The attributes in its source, if it has them.
    pub(crate) fn attributes(&self) -> String {
        // SAFETY: the results have the room that their size says.
        info(|size, value, actual| unsafe {
            (api().clGetKernelInfo)(self.0, CL_KERNEL_ATTRIBUTES, size, value, actual)
        })
        .map(text)
        .unwrap_or_default()
    }

    /// In which address space an argument points, if the program kept that.
    pub(crate) fn address_space(&self, index: u32) -> Option<cl_kernel_arg_address_qualifier> {
        // SAFETY: the results have the room that their size says.
        let found = info(|size, value, actual| unsafe {
            (api().clGetKernelArgInfo)(self.0, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER, size, value, actual)
        });
        found.ok()?.first().copied()
    }

    /// A property of the kernel on its device.
    pub(crate) fn number<T: Copy + Default>(&self, cl: &Cl, name: cl_kernel_work_group_info) -> Option<T> {
        self.numbers(cl, name).first().copied()
    }

    /// A property of the kernel on its device that is a list.
    pub(crate) fn numbers<T: Copy + Default>(&self, cl: &Cl, name: cl_kernel_work_group_info) -> Vec<T> {
        // SAFETY: the results have the room that their size says.
        info(|size, value, actual| unsafe {
            (api().clGetKernelWorkGroupInfo)(self.0, cl.device, name, size, value, actual)
        })
        .unwrap_or_default()
    }

    /// A property of its sub-groups with work-groups of a size.
    pub(crate) fn sub_group_number(&self, cl: &Cl, name: cl_kernel_sub_group_info, group: [usize; 3]) -> Option<usize> {
        let query = api().clGetKernelSubGroupInfo?;
        let mut value = 0usize;
        // SAFETY: input and result have the sizes that are given.
        check(unsafe {
            query(
                self.0,
                cl.device,
                name,
                size_of_val(&group),
                group.as_ptr().cast(),
                size_of_val(&value),
                (&raw mut value).cast(),
                std::ptr::null_mut(),
            )
        })
        .ok()?;
        Some(value)
    }
}
