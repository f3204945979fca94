-- migrate:up transaction:false

drop index concurrently if exists published_files_by_check;

-- migrate:down
