//! Tables as Parquet: one row group, compressed with Snappy. Columns have the names of the CSV; times are timestamps in
//! UTC.

use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, TimeUnit, Type as Physical};
use ::parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::{ParquetError, Result};
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::Type;

use crate::HistoryError;

use super::table::{Cell, Column, Kind, Table};

impl Table {
    /// Formats the table as Parquet.
    ///
    /// # Errors
    ///
    /// [`HistoryError::Parquet`] if the table cannot be written.
    pub fn parquet(&self) -> std::result::Result<Vec<u8>, HistoryError> {
        self.write().map_err(|error| HistoryError::Parquet(error.to_string()))
    }

    fn write(&self) -> Result<Vec<u8>> {
        let fields = self.columns.iter().map(|column| Ok(Arc::new(field(*column)?))).collect::<Result<Vec<_>>>()?;
        let schema = Arc::new(Type::group_type_builder("fathom").with_fields(fields).build()?);
        let by = concat!("fathom ", env!("CARGO_PKG_VERSION")).to_owned();
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).set_created_by(by).build();
        let mut bytes = Vec::new();
        let mut file = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties))?;
        let mut group = file.next_row_group()?;
        for (at, column) in self.columns.iter().enumerate() {
            let mut writer = group.next_column()?.ok_or_else(|| ParquetError::General("a column is missing".into()))?;
            self.fill(&mut writer, at, *column)?;
            writer.close()?;
        }
        group.close()?;
        file.close()?;
        Ok(bytes)
    }

    fn fill(&self, writer: &mut SerializedColumnWriter, at: usize, column: Column) -> Result<()> {
        let cells = self.rows.iter().map(|row| &row[at]);
        match column.kind {
            Kind::Text => {
                let values: Vec<ByteArray> = cells.filter_map(text).collect();
                put::<ByteArrayType>(writer, &values, None)
            }
            Kind::Count | Kind::UnixMs => {
                let values: Vec<i64> = cells.filter_map(count).collect();
                put::<Int64Type>(writer, &values, None)
            }
            Kind::Figure => {
                let figures: Vec<Option<f64>> = cells.map(figure).collect();
                let known: Vec<i16> = figures.iter().map(|figure| i16::from(figure.is_some())).collect();
                put::<DoubleType>(writer, &figures.into_iter().flatten().collect::<Vec<_>>(), Some(&known))
            }
        }
    }
}

fn field(column: Column) -> Result<Type> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Count => (Physical::INT64, None),
        Kind::UnixMs => (Physical::INT64, Some(LogicalType::timestamp(true, TimeUnit::MILLIS))),
        Kind::Figure => (Physical::DOUBLE, None),
    };
    let repetition = if column.kind == Kind::Figure { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder(column.name, physical);
    field.with_repetition(repetition).with_logical_type(logical).build()
}

/// `known` has a 1 for each row with a value, if a column can lack values.
fn put<T: DataType>(writer: &mut SerializedColumnWriter, values: &[T::T], known: Option<&[i16]>) -> Result<()> {
    writer.typed::<T>().write_batch(values, known, None).map(drop)
}

fn text(cell: &Cell) -> Option<ByteArray> {
    if let Cell::Text(text) = cell { Some(text.raw().into()) } else { None }
}

fn count(cell: &Cell) -> Option<i64> {
    if let Cell::Count(count) = cell { Some(*count) } else { None }
}

fn figure(cell: &Cell) -> Option<f64> {
    if let Cell::Figure(figure) = cell { *figure } else { None }
}
