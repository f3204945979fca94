import type { tokens } from '@reelkeep/contract'
import type { Caller } from '@reelkeep/testkit'

/** A new folder, and a caller with a token that is limited to it. */
export async function limitedCaller(caller: Caller): Promise<{ readonly folder: string; readonly limited: Caller }> {
  const { body } = await caller.post<{ uuid: string }>('assets/folders/', { title: 'Inside' })
  const input = { name: 'Limited', scopes: ['*'], folder_uuid: body.uuid }
  const { body: issued } = await caller.post<tokens.NewToken>('tokens/', input)
  return { folder: body.uuid, limited: caller.withToken(issued.token) }
}
