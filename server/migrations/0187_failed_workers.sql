-- migrate:up

-- Workers on which the file of the step failed. A file is blamed only after it failed on two of them.
alter table pipeline_steps add column failed_on text[] not null default '{}';

-- migrate:down
