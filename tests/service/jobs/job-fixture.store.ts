import type { Query } from '@reelkeep/server/platform/db/statement.ts'

type Note = { readonly what: string; readonly pid: number }

export const noteHappened = ({ what, pid }: Note): Query<object> => ({
  name: 'note happened',
  text: 'insert into happenings (organization_id, what, pid) values ($1, $2, $3)',
  values: (organizationId) => [organizationId, what, pid],
})

export const openGates = ({ note }: { readonly note: string }): Query<{ note: string }> => ({
  name: 'open gates',
  text: 'select note from gates where note = $1',
  values: () => [note],
})

export const noteTurn = ({ what, pid }: Note): Query<object> => ({
  name: 'note turn',
  text: 'insert into happenings (what, pid) values ($1, $2)',
  values: () => [what, pid],
})
