//! Every pointer that crosses the C ABI, as a type that says whose it is. All pointer casts of the crate are here.
//!
//! The types hold what C handed in, so each may be null, and the accessors say so with `invalid_arguments`. What they
//! cannot see is what the headers make the caller promise: that a pointer which is not null points to what its type says,
//! and for as long as the call takes. C code makes these values by calling an entry point; Rust code, which only the tests
//! have reason to write, needs the unsafe constructors.
//!
//! The fact a newcomer gets wrong: memory descriptors have no tag. Programs make them on their own, so all of their bytes
//! are checked when they are used.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::sync::Arc;

use oxidnn::{Error, Result};

/// What a handle can point to.
///
/// # Safety
/// The type is `repr(C)`. If it has a tag, it starts with a [`Head`] made by [`Head::new`] for this very type; if it has
/// none, any bytes make a value of it.
pub unsafe trait Handle: Sized {
    /// Tells live objects of this type from anything else.
    const TAG: Option<u32>;
    /// What messages call it.
    const NAME: &'static str;
    /// How C holds it.
    type Owner: Owner<Self>;
}

/// How C holds an object: alone, or together with objects that refer to it.
pub trait Owner<T> {
    /// Gives the object to C.
    fn into_raw(self) -> *mut T;

    /// Takes it back.
    ///
    /// # Safety
    /// The pointer came from [`into_raw`](Owner::into_raw) and was not taken back before.
    unsafe fn from_raw(raw: *mut T) -> Self;
}

impl<T> Owner<T> for Box<T> {
    fn into_raw(self) -> *mut T {
        Box::into_raw(self)
    }

    unsafe fn from_raw(raw: *mut T) -> Self {
        // SAFETY: the caller's promise is the one that `Box::from_raw` wants.
        unsafe { Box::from_raw(raw) }
    }
}

impl<T> Owner<T> for Arc<T> {
    fn into_raw(self) -> *mut T {
        Arc::into_raw(self).cast_mut()
    }

    unsafe fn from_raw(raw: *mut T) -> Self {
        // SAFETY: the caller's promise is the one that `Arc::from_raw` wants.
        unsafe { Arc::from_raw(raw) }
    }
}

/// The start of every object that C has a handle of.
#[repr(C)]
#[derive(Debug)]
pub struct Head {
    tag: Option<u32>,
}

impl Head {
    /// The head of a live `T`.
    pub fn new<T: Handle>() -> Head {
        Head { tag: T::TAG }
    }
}

impl Drop for Head {
    fn drop(&mut self) {
        // SAFETY: the field is ours to write; volatile, or the compiler sees that nobody reads it any more.
        unsafe { std::ptr::from_mut(&mut self.tag).write_volatile(None) };
    }
}

fn check<T: Handle>(raw: *const T) -> Result<()> {
    if raw.is_null() {
        return Err(Error::invalid(format!("the {} is null", T::NAME)));
    }
    // SAFETY: not null, so an object of ours, which starts with a `Head` if its type has a tag.
    if T::TAG.is_some() && unsafe { (*raw.cast::<Head>()).tag } != T::TAG {
        return Err(Error::invalid(format!("a handle of something else than a live {}", T::NAME)));
    }
    Ok(())
}

/// A handle for reading: `const_dnnl_*_t`.
#[repr(transparent)]
pub struct Const<T: Handle>(*const T);

/// A handle: `dnnl_*_t`.
#[repr(transparent)]
pub struct Mut<T: Handle>(*mut T);

impl<T: Handle> Const<T> {
    /// No object.
    pub const NULL: Const<T> = Const(std::ptr::null());

    /// The object.
    pub fn get(&self) -> Result<&T> {
        check(self.0)?;
        // SAFETY: the tag says that it is a live object of this type, and the caller keeps it for the call.
        Ok(unsafe { &*self.0 })
    }

    /// A handle of an object that stays the library's.
    pub fn lend(object: &T) -> Const<T> {
        Const(object)
    }
}

impl<T: Handle> Mut<T> {
    /// No object.
    pub const NULL: Mut<T> = Mut(std::ptr::null_mut());

    /// The object.
    pub fn get(&self) -> Result<&T> {
        check(self.0)?;
        // SAFETY: as in `Const::get`.
        Ok(unsafe { &*self.0 })
    }

    /// The object, to change it.
    pub fn get_mut(&mut self) -> Result<&mut T> {
        check(self.0)?;
        // SAFETY: as in `Const::get`; the API asks for no concurrent use of an object that is being changed.
        Ok(unsafe { &mut *self.0 })
    }

    /// Whether there is no object.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// A handle that C has to destroy.
    pub fn give(object: T::Owner) -> Mut<T> {
        Mut(object.into_raw())
    }

    /// Takes back and drops what [`give`](Mut::give) gave. Nothing happens for null.
    pub fn destroy(self) -> Result<()> {
        if !self.0.is_null() {
            check(self.0)?;
            // SAFETY: a live object; C got it from `give` and may destroy it once, after which it is not live.
            drop(unsafe { T::Owner::from_raw(self.0) });
        }
        Ok(())
    }
}

impl<T: Handle<Owner = Arc<T>>> Mut<T> {
    /// Another reference to a shared object.
    pub fn share(&self) -> Result<Arc<T>> {
        check(self.0)?;
        // SAFETY: a live object in an `Arc`, of which C holds a count; one more is taken before it is made.
        Ok(unsafe {
            Arc::increment_strong_count(self.0);
            Arc::from_raw(self.0)
        })
    }

    /// A handle of a shared object that stays the library's. Shared objects are never changed.
    pub fn lend(object: &Arc<T>) -> Mut<T> {
        Mut(Arc::as_ptr(object).cast_mut())
    }
}

/// A parameter that may be null without being wrong.
#[repr(transparent)]
pub struct Opt<T>(T);

impl<T: Handle> Opt<Const<T>> {
    /// The object, if there is one.
    pub fn get(&self) -> Result<Option<&T>> {
        if self.0.0.is_null() { Ok(None) } else { self.0.get().map(Some) }
    }
}

impl<T> Opt<Out<T>> {
    /// Writes if the caller wants the value.
    pub fn set(&self, value: T) {
        if !self.0.0.is_null() {
            // SAFETY: not null, so a place for a `T`.
            unsafe { self.0.0.write(value) };
        }
    }

    /// Whether the caller wants the value.
    pub fn is_wanted(&self) -> bool {
        !self.0.0.is_null()
    }
}

impl<T: Copy> Opt<Out<T>> {
    /// Fills an array of at least `values.len()` elements, which must be wanted.
    pub fn fill(&self, values: &[T]) -> Result<()> {
        self.0.fill(values)
    }
}

impl<T: Copy> Opt<In<T>> {
    /// The first `len` values, if there are any.
    pub fn slice(&self, len: usize) -> Result<Option<&[T]>> {
        if self.0.0.is_null() { Ok(None) } else { self.0.slice(len).map(Some) }
    }
}

impl Opt<InDims> {
    /// The first `ndims` values, if there are any.
    pub fn get(&self, ndims: c_int) -> Result<Option<&[i64]>> {
        if self.0.0.0.is_null() { Ok(None) } else { self.0.get(ndims).map(Some) }
    }
}

/// A place that the entry point writes to: `T *`.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Nowhere.
    pub const NULL: Out<T> = Out(std::ptr::null_mut());

    /// Checks that it can be written.
    pub fn check(&self) -> Result<()> {
        if self.0.is_null() { Err(Error::invalid("a pointer to a result is null")) } else { Ok(()) }
    }

    /// Where it is.
    pub fn address(&self) -> Result<Pointer> {
        self.check().map(|()| self.0.cast())
    }

    /// Writes.
    pub fn set(&self, value: T) -> Result<()> {
        self.check()?;
        // SAFETY: not null, so a place for a `T`.
        unsafe { self.0.write(value) };
        Ok(())
    }
}

impl<T: Copy> Out<T> {
    /// Reads what the caller put there.
    pub fn get(&self) -> Result<T> {
        self.check()?;
        // SAFETY: not null, so a `T`; parameters that are read before they are written come initialized.
        Ok(unsafe { self.0.read() })
    }

    /// Fills an array of at least `values.len()` elements.
    pub fn fill(&self, values: &[T]) -> Result<()> {
        self.check()?;
        // SAFETY: not null, so an array of the length that the API states, which the caller of this checked.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), self.0, values.len()) };
        Ok(())
    }
}

impl<T: Handle> Out<Mut<T>> {
    /// Gives C a new object.
    pub fn give(&self, object: T::Owner) -> Result<()> {
        self.check()?;
        self.set(Mut::give(object))
    }
}

impl<T: Handle<Owner = Box<T>>> Out<Mut<T>> {
    /// Gives C a new object.
    pub fn give_new(&self, object: T) -> Result<()> {
        self.give(Box::new(object))
    }
}

/// Hands out bytes the C way: without a buffer only their number, with one of at least that size themselves.
pub fn hand_out(bytes: &[u8], size: &Out<usize>, buffer: &Opt<Out<u8>>) -> Result<()> {
    if !buffer.is_wanted() {
        return size.set(bytes.len());
    }
    let room = size.get()?;
    if room < bytes.len() {
        return Err(Error::invalid(format!("{} bytes do not fit a buffer of {room}", bytes.len())));
    }
    buffer.fill(bytes)
}

/// An array that the entry point reads: `const T *`.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T> In<T> {
    /// The first `len` elements.
    pub fn slice(&self, len: usize) -> Result<&[T]> {
        if len == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() {
            return Err(Error::invalid("a pointer to an array is null"));
        }
        // SAFETY: not null, so an array of the length that the API states and the caller of this passes on.
        Ok(unsafe { std::slice::from_raw_parts(self.0, len) })
    }

    /// A pointer to an array that stays the library's.
    pub fn lend(values: &[T]) -> In<T> {
        In(values.as_ptr())
    }

    /// Where the array is.
    pub fn address(&self) -> Result<Pointer> {
        if self.0.is_null() {
            return Err(Error::invalid("a pointer to an array is null"));
        }
        Ok(self.0.cast_mut().cast())
    }

    /// As [`slice`](In::slice), for a length that C gave as a signed number.
    pub fn list(&self, len: c_int) -> Result<&[T]> {
        let len = usize::try_from(len).map_err(|_| Error::invalid(format!("an array of {len} elements")))?;
        self.slice(len)
    }
}

/// An array that the entry point reads, of which C does not say so: `T *`.
#[repr(transparent)]
pub struct Items<T>(In<T>);

impl<T> Items<T> {
    /// The first elements, as many as C gave as a signed number.
    pub fn list(&self, len: c_int) -> Result<&[T]> {
        self.0.list(len)
    }
}

/// Dimensions, strides or offsets that the entry point reads: `const dnnl_dims_t`.
#[repr(transparent)]
pub struct InDims(In<i64>);

impl InDims {
    /// The first `ndims` values; callers pass arrays of just that many.
    pub fn get(&self, ndims: c_int) -> Result<&[i64]> {
        let len = usize::try_from(ndims).ok().filter(|&len| len <= oxidnn::desc::MAX_NDIMS);
        let len = len.ok_or_else(|| Error::invalid(format!("a tensor of {ndims} dimensions")))?;
        self.0.slice(len)
    }
}

/// A string: `const char *`.
#[repr(transparent)]
pub struct Text(*const c_char);

impl Text {
    /// The string.
    pub fn get(&self) -> Result<&str> {
        if self.0.is_null() {
            return Err(Error::invalid("a string is null"));
        }
        // SAFETY: not null, so a string with its terminating zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|_| Error::invalid("a string is not UTF-8"))
    }
}

/// A place whose type another parameter of the call tells: `void *`.
#[repr(transparent)]
pub struct Untyped(*mut c_void);

impl Untyped {
    /// Checks that it can be written.
    pub fn check(&self) -> Result<()> {
        Out(self.0).check()
    }

    /// Writes a value of the type that the API states for what was asked.
    pub fn set<T>(&self, value: T) -> Result<()> {
        Out(self.0.cast::<T>()).set(value)
    }

    /// Writes the bytes of a value of that type.
    pub fn fill(&self, bytes: &[u8]) -> Result<()> {
        Out(self.0.cast::<u8>()).fill(bytes)
    }

    /// Reads the bytes of a value of that type, which has `len`.
    pub fn bytes(&self, len: usize) -> Result<&[u8]> {
        if self.0.is_null() {
            return Err(Error::invalid("a pointer to a value is null"));
        }
        // SAFETY: not null, so a value of the type that the API states, which the caller of this knows the size of.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), len) })
    }
}

/// A value whose type another parameter of the call tells: `const void *`.
#[repr(transparent)]
pub struct ConstUntyped(In<u8>);

impl ConstUntyped {
    /// The bytes of the value, which has `len`.
    pub fn bytes(&self, len: usize) -> Result<&[u8]> {
        self.0.slice(len)
    }
}

/// A dimension, a stride, an offset or a number of elements: `dnnl_dim_t`.
pub type Dim = i64;

/// A pointer that the library passes on without looking behind it: `void *`.
pub type Pointer = *mut c_void;

/// A value of an enumeration as C passes it, which may be none of them.
#[repr(transparent)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum<T>(c_int, PhantomData<T>);

/// An enumeration of the API.
pub trait Vocabulary: Copy {
    /// What messages call it.
    const NAME: &'static str;

    /// The value with this C value.
    fn from_c(value: c_int) -> Option<Self>;

    /// The C value.
    fn to_c(self) -> c_int;

    /// What the API calls the value.
    fn name(self) -> &'static str;
}

impl<T> Enum<T> {
    /// A value by its number.
    pub fn of(number: c_int) -> Enum<T> {
        Enum(number, PhantomData)
    }

    /// The number.
    pub fn number(&self) -> c_int {
        self.0
    }
}

impl<T: Vocabulary> Enum<T> {
    /// The value.
    pub fn get(&self) -> Result<T> {
        T::from_c(self.0).ok_or_else(|| Error::invalid(format!("{} is no {}", self.0, T::NAME)))
    }
}

impl<T: Vocabulary> From<T> for Enum<T> {
    fn from(value: T) -> Enum<T> {
        Enum(value.to_c(), PhantomData)
    }
}

/// Parameters of entry points that do nothing yet but look for nulls.
pub trait Parameter {
    /// An error if it is null and must not be.
    fn required(&self) -> Result<()> {
        Ok(())
    }
}

impl<T: Handle> Parameter for Const<T> {
    fn required(&self) -> Result<()> {
        self.get().map(drop)
    }
}

impl<T: Handle> Parameter for Mut<T> {
    fn required(&self) -> Result<()> {
        self.get().map(drop)
    }
}

impl<T> Parameter for Out<T> {
    fn required(&self) -> Result<()> {
        self.check()
    }
}

impl<T> Parameter for In<T> {
    fn required(&self) -> Result<()> {
        self.slice(1).map(drop)
    }
}

impl<T> Parameter for Items<T> {
    fn required(&self) -> Result<()> {
        self.list(1).map(drop)
    }
}

impl Parameter for InDims {
    fn required(&self) -> Result<()> {
        self.get(1).map(drop)
    }
}

impl<T> Parameter for Opt<T> {}
impl<T> Parameter for Enum<T> {}
impl<T> Parameter for *mut T {}
impl Parameter for Text {}
impl Parameter for c_int {}
impl Parameter for u32 {}
impl Parameter for i64 {}
impl Parameter for usize {}
impl Parameter for f32 {}
impl Parameter for i8 {}
impl Parameter for u8 {}
