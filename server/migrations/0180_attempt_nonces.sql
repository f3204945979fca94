-- migrate:up

-- 64 random bits of the attempt that owns the step, as hex digits. A failover to a standby that lacks the last commits,
-- or a restore, sets `last_token` back, so two attempts can have the same token. They never have the same nonce.
alter table pipeline_steps add column nonce text collate "C";

-- migrate:down
