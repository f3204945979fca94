/** Each family of events has a file that tells all of its kinds, and says so in the end; this is the list of them. */
import { readdirSync, readFileSync } from 'node:fs'
import { events as contract } from '@reelkeep/contract'
import { expect, it } from 'vitest'

/** Webhooks tell of themselves elsewhere. */
const families = new Set(
  contract.eventTypes
    .map((type) => type.slice(0, type.indexOf('.')))
    .filter((one) => one !== 'webhook'),
)

it.for([...families])('all there is to tell of %s is told by a test', (family) => {
  const directory = import.meta.dirname
  const claims = readdirSync(directory)
    .filter((name) => /^told-.*\.test\.ts$/.test(name))
    .filter((name) =>
      readFileSync(`${directory}/${name}`, 'utf8').includes(
        `afterAll(() => expect(neverTold('${family}')).toEqual([]))`,
      ),
    )
  expect(claims).toHaveLength(1)
})
