-- The failed rows of a batch are counted whenever somebody looks at its progress.
create index batch_rows_failed on batch_rows (organization_id, batch_id, position) where not success;
