/**
 * `node media/hostile/check-corpus.ts FOLDER STEP`: probes every STEP-th file of a corpus. Runs also inside the image,
 * which has no programs that create a corpus.
 */
import { checkHarmless } from './harmless.ts'
import { readHostileCorpus } from './hostile-file.ts'
import { formatTable } from './probe-corpus.ts'

const [folder = '', step = '1'] = process.argv.slice(2)
const files = (await readHostileCorpus(folder)).filter((_, i) => i % Number(step) === 0)
const { outcomes, problems } = await checkHarmless(files)
process.stdout.write(`${formatTable(outcomes)}\n`)
for (const problem of problems) process.stderr.write(`${problem}\n`)
process.exitCode = problems.length > 0 ? 1 : 0
