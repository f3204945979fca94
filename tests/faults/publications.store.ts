import type { AssetId } from '@reelkeep/server/kernel/ids.ts'
import type { Query } from '@reelkeep/server/platform/db/statement.ts'

export type Publication = {
  readonly assetId: string
  readonly step: string
  readonly token: number
  /** Which run of the step's function made it: two that bear the same token differ in it. */
  readonly maker: string
  readonly keys: readonly string[]
  /** What was wrong with what the step before had made visible. */
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

type OfStep = { readonly assetId: AssetId; readonly step: string }

/** Every publication of a step that is done, with the token by which its row says what is visible. */
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
