import type { Query } from '@reelkeep/server/platform/db/statement.ts'

type Note = { readonly what: string; readonly pid: number }

export const insertRecord = ({ what, pid }: Note): Query<object> => ({
  name: 'insert record',
  text: 'insert into records (organization_id, what, pid) values ($1, $2, $3)',
  values: (organizationId) => [organizationId, what, pid],
})

export const openGates = ({ note }: { readonly note: string }): Query<{ note: string }> => ({
  name: 'open gates',
  text: 'select note from gates where note = $1',
  values: () => [note],
})

export const insertRunRecord = ({ what, pid }: Note): Query<object> => ({
  name: 'insert run record',
  text: 'insert into records (what, pid) values ($1, $2)',
  values: () => [what, pid],
})
