/** Builds one shell script from the samples of a page, so that they share variables, functions and files. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Sample } from './samples.ts'

export type PageSettings = {
  /** Shell commands before the first sample. */
  readonly setup?: string
  /** Shell commands before the sample that starts with the key. */
  readonly before?: Readonly<Record<string, string>>
  /** Placeholders of the page, and what replaces them. */
  readonly replace?: Readonly<Record<string, string>>
}

/**
 * A failed command ends the script. `curl -s` succeeds for every HTTP status, so it is made to fail for errors. A
 * background program must print something or run for ten seconds.
 */
const PRELUDE = `
set -Eeuo pipefail
trap 'echo "The sample at $sample failed." >&2' ERR
curl() {
  case " $* " in
    *' -sf '* | *' -f '* | *' --fail-with-body '* | *' /dev/null '*) command curl "$@" ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}
started() {
  for _ in $(seq 100); do
    if [ -s "$2" ]; then break; fi
    sleep 0.1
  done
  if ! kill -0 "$1" 2>/dev/null; then cat "$2"; echo "The program at $sample ended." >&2; return 1; fi
}
`

/** Writes the files of the page to the folder, and returns the script. */
export function pageScript(folder: string, samples: readonly Sample[], settings: PageSettings): string {
  const replaced = (text: string) =>
    Object.entries(settings.replace ?? {}).reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
  const steps = samples
    .filter(({ notRun }) => notRun === undefined)
    .map((sample, index) => stepOf(folder, { ...sample, code: replaced(sample.code) }, index, settings))
  return [PRELUDE, settings.setup ?? '', ...steps].join('\n')
}

function stepOf(folder: string, sample: Sample, index: number, { before = {} }: PageSettings): string {
  const [, prepare = ''] = Object.entries(before).find(([start]) => sample.code.startsWith(start)) ?? []
  const command = commandOf(folder, sample, index)
  const output = `output-${index}`
  const run = sample.isBackground ? `{ ${command}\n} >${output} 2>&1 &\nstarted $! ${output}` : command
  return `${prepare}\nbegin '${sample.place}'\n${run}`
}

function commandOf(folder: string, { language, code, file }: Sample, index: number): string {
  if (file !== undefined) {
    writeFileSync(join(folder, file), code)
    return ':'
  }
  if (language === 'bash' || language === 'sh') return code
  const program = `sample-${index}.${language === 'ts' ? 'mts' : 'mjs'}`
  writeFileSync(join(folder, program), code.includes('new Reelkeep(') || language === 'js' ? code : withClient(code))
  return `node ${program}`
}

/** Samples of the SDK guide share the client that its first sample creates. */
const withClient = (code: string) =>
  `import { Reelkeep as Client } from 'reelkeep'\nconst client = new Client()\n${code}`
