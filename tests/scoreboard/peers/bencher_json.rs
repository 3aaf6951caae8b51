// The types that bencher_boundary takes from bencher_json. They do not check their range.
macro_rules! number {
    ($($name:ident)*) => {$(
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub f64);
        impl From<$name> for f64 {
            fn from(value: $name) -> f64 {
                value.0
            }
        }
    )*};
}
number!(Boundary CdfBoundary IqrBoundary PercentageBoundary);

macro_rules! checked {
    ($($name:ident)*) => {$(
        impl TryFrom<Boundary> for $name {
            type Error = ValidError;
            fn try_from(value: Boundary) -> Result<Self, ValidError> {
                Ok($name(value.0))
            }
        }
        impl TryFrom<f64> for $name {
            type Error = ValidError;
            fn try_from(value: f64) -> Result<Self, ValidError> {
                Ok($name(value))
            }
        }
    )*};
}
checked!(CdfBoundary IqrBoundary PercentageBoundary);

#[derive(Clone, Copy, Debug)]
pub struct SampleSize(pub usize);
impl From<SampleSize> for usize {
    fn from(value: SampleSize) -> usize {
        value.0
    }
}
impl std::fmt::Display for SampleSize {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

#[derive(Debug)]
pub struct ValidError;
impl std::fmt::Display for ValidError {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("not valid")
    }
}
impl std::error::Error for ValidError {}

#[derive(Clone, Copy, Debug)]
pub enum ModelTest {
    Static,
    Percentage,
    ZScore,
    TTest,
    LogNormal,
    Iqr,
    DeltaIqr,
}

pub mod project {
    pub mod boundary {
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum BoundaryLimit {
            Lower,
            Upper,
        }
    }
}
