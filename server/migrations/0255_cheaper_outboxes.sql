-- migrate:up

-- Each event locked the row of its organization, which cost as much as the insert itself, and more when many requests
-- of one organization ran at once. The outbox of the audit log has no foreign key either: nothing writes to an
-- organization whose rows are deleted, because it is suspended until all are gone.
alter table event_outbox drop constraint event_outbox_organization_id_fkey;

-- Each change inserts into both outboxes last, when the transaction has checked the suspension already. The condition
-- is the first one of the function, and costs a tenth of a call.
create or replace trigger refuse_while_held before insert or update or delete on event_outbox
  for each statement
  when (current_setting('app.organization_id', true)
    is distinct from current_setting('app.writing_organization', true))
  execute function refuse_while_held();
create or replace trigger refuse_while_held before insert or update or delete on audit_outbox
  for each statement
  when (current_setting('app.organization_id', true)
    is distinct from current_setting('app.writing_organization', true))
  execute function refuse_while_held();

-- migrate:down
