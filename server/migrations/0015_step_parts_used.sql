-- migrate:up

alter table pipeline_steps
  drop constraint pipeline_steps_pkey,
  add constraint pipeline_steps_pkey primary key using index pipeline_steps_by_part,
  validate constraint pipeline_steps_state_check;

-- migrate:down
