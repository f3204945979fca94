import type { AssetId } from '@reelkeep/server/kernel/ids.ts'
import type { Query } from '@reelkeep/server/platform/db/statement.ts'

export type Publication = {
  readonly assetId: string
  readonly step: string
  readonly token: number
  /** The run of the step's function that made it; distinguishes two runs with the same fence. */
  readonly maker: string
  readonly keys: readonly string[]
  /** What was wrong with the result of the previous step. */
  readonly complaint: string | null
}

export const notePublication = (made: Publication): Query<object> => ({
  name: 'note publication',
  text: `insert into publications (organization_id, asset_id, step, token, maker, keys, complaint)
    values ($1, $2, $3, $4, $5, $6, $7)`,
  values: (organizationId) => [
    organizationId,
    made.assetId,
    made.step,
    made.token,
    made.maker,
    made.keys,
    made.complaint,
  ],
})

export const openGates = (assetId: AssetId): Query<object> => ({
  name: 'open gates',
  text: 'select from gates where asset_id = $1',
  values: () => [assetId],
})

type OfStep = { readonly assetId: AssetId; readonly step: string }

/** Every publication of a finished step, with the fence in the row of the step. */
export const visiblePublications = ({
  assetId,
  step,
}: OfStep): Query<Publication & { readonly visibleToken: number }> => ({
  name: 'visible publications',
  text: `select made.asset_id as "assetId", made.step, made.token, made.maker, made.keys, made.complaint,
      done.token as "visibleToken"
    from pipeline_steps as done
    join publications as made using (organization_id, asset_id, step)
    where done.organization_id = $1 and done.asset_id = $2 and done.step = $3 and done.state = 'done'`,
  values: (organizationId) => [organizationId, assetId, step],
})
