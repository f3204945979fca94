/**
 * Records publications independently of the code under test. Each step inserts a row in its publishing transaction,
 * into a table without a unique constraint, so that repeated publications are visible. A trigger records the changes of
 * step rows.
 */
import type { AssetId } from '@reelkeep/server/kernel/ids.ts'
import type { Query } from '@reelkeep/server/platform/db/statement.ts'
import { type StackEnv, Superuser } from '@reelkeep/testkit'

/** A change of a step's row; the state `gone` means that the row was deleted. */
export type StepChange = {
  readonly assetId: string
  readonly step: string
  readonly state: 'waiting' | 'running' | 'done' | 'stopped' | 'gone'
  readonly token: number | null
  readonly claimCount: number
  readonly at: Date
}

export async function createRecordTables(env: StackEnv): Promise<void> {
  await using superuser = await Superuser.open(env)
  await superuser.query(`
    create table publications (
      organization_id text not null, asset_id uuid not null, step text not null, token integer not null,
      writer text not null, keys text[] not null, problem text,
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
    create function record_step_change() returns trigger language plpgsql security definer as $$
    begin
      if tg_op = 'DELETE' then
        insert into step_changes values (old.organization_id, old.asset_id, old.step, 'gone', null, 0);
      else
        insert into step_changes
        values (new.organization_id, new.asset_id, new.step, new.state, new.token, new.takes);
      end if;
      return null;
    end $$;
    create trigger record_step after insert or delete on pipeline_steps
      for each row execute function record_step_change();
    create trigger record_change after update on pipeline_steps for each row
      when ((old.state, old.token) is distinct from (new.state, new.token))
      execute function record_step_change()`)
}

export async function readChanges(env: StackEnv): Promise<StepChange[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<StepChange>(
    `select asset_id as "assetId", step, state, token, takes as "claimCount", at from step_changes order by at`,
  )
}

export async function readPublications(env: StackEnv): Promise<Publication[]> {
  await using superuser = await Superuser.open(env)
  return await superuser.query<Publication>(
    `select asset_id as "assetId", step, token, writer, keys, problem from publications order by at`,
  )
}

export type Publication = {
  readonly assetId: string
  readonly step: string
  readonly token: number
  /** Identifies the run of the step that published, to distinguish two runs with the same fence. */
  readonly writer: string
  readonly keys: readonly string[]
  /** Problem with the result of the previous step; null if there was none. */
  readonly problem: string | null
}

export const insertPublication = (publication: Publication): Query<object> => ({
  name: 'insert publication',
  text: `insert into publications (organization_id, asset_id, step, token, writer, keys, problem)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  values: (organizationId) => [
    organizationId,
    publication.assetId,
    publication.step,
    publication.token,
    publication.writer,
    publication.keys,
    publication.problem,
  ],
})

export const openGates = (assetId: AssetId): Query<object> => ({
  name: 'open gates',
  text: 'select from gates where asset_id = $1',
  values: () => [assetId],
})

type OfStep = { readonly assetId: AssetId; readonly step: string }

/** Selects the publications of a finished step, with the fence in the row of the step. */
export const visiblePublications = ({
  assetId,
  step,
}: OfStep): Query<Publication & { readonly visibleToken: number }> => ({
  name: 'visible publications',
  text: `select made.asset_id as "assetId", made.step, made.token, made.writer, made.keys, made.problem,
      done.token as "visibleToken"
    from pipeline_steps as done
    join publications as made using (organization_id, asset_id, step)
    where done.organization_id = $1 and done.asset_id = $2 and done.step = $3 and done.state = 'done'`,
  values: (organizationId) => [organizationId, assetId, step],
})
