/**
 * The actual publications, recorded independently of the code under test: by each step in its publishing transaction,
 * without a constraint that would hide a repetition, and by a trigger on the rows of the steps.
 */
import { type StackEnv, Superuser } from '@reelkeep/testkit'
import type { Publication } from './publications.store.ts'

/** A change of a step's row; `gone` means deleted. */
export type StepChange = {
  readonly assetId: string
  readonly step: string
  readonly state: 'waiting' | 'running' | 'done' | 'stopped' | 'gone'
  readonly token: number | null
  readonly takes: number
  readonly at: Date
}

export async function makeNotes(env: StackEnv): Promise<void> {
  await using superuser = await Superuser.open(env)
  await superuser.query(`
    create table publications (
      organization_id text not null, asset_id uuid not null, step text not null, token integer not null,
      maker text not null, keys text[] not null, complaint text,
      at timestamptz not null default clock_timestamp());
    alter table publications enable row level security;
    create policy own_organization on publications to reelkeep_api
      using (organization_id = current_setting('app.organization_id', true));
    grant select, insert on publications to reelkeep_api;

    create table gates (asset_id uuid primary key);
    grant select on gates to reelkeep_api;

    create table step_changes (
      organization_id text not null, asset_id uuid not null, step text not null, state text not null,
      token integer, takes integer not null, at timestamptz not null default clock_timestamp());
    create function note_step_change() returns trigger language plpgsql security definer as $$
    begin
      if tg_op = 'DELETE' then
        insert into step_changes values (old.organization_id, old.asset_id, old.step, 'gone', null, 0);
      else
        insert into step_changes
        values (new.organization_id, new.asset_id, new.step, new.state, new.token, new.takes);
      end if;
      return null;
    end $$;
    create trigger note_begun after insert or delete on pipeline_steps
      for each row execute function note_step_change();
    create trigger note_changed after update on pipeline_steps for each row
      when ((old.state, old.token) is distinct from (new.state, new.token))
      execute function note_step_change()`)
}

export async function readChanges(env: StackEnv): Promise<StepChange[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<StepChange>(
    `select asset_id as "assetId", step, state, token, takes, at from step_changes order by at`,
  )
}

export async function readPublications(env: StackEnv): Promise<Publication[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<Publication>(
    `select asset_id as "assetId", step, token, maker, keys, complaint from publications order by at`,
  )
}
