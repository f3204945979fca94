import { expect, it } from 'vitest'
import { createHostileCorpus } from './corpus.ts'
import { checkHarmless } from './harmless.ts'
import { formatTable } from './probe-corpus.ts'

it('hostile files of every kind get a result in time, without any network access', { timeout: 900_000 }, async () => {
  const { outcomes, problems } = await checkHarmless(await createHostileCorpus())
  process.stdout.write(`${formatTable(outcomes)}\n`)
  expect(problems).toEqual([])
})
