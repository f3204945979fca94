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

/** A program that has failed may print its error before it ends. */
const SETTLE_SECONDS = 1

/**
 * A failed command ends the script. `curl -s` succeeds for every HTTP status, so it is made to fail for errors. A
 * background program must print something or run for ten seconds. It must still run at the end of the script.
 */
const PRELUDE = `
set -Eeuo pipefail
declare -A outputs=() places=()
trap 'echo "The sample at $sample failed." >&2' ERR
curl() {
  case " $* " in
    *' -sf '* | *' -f '* | *' --fail-with-body '* | *' /dev/null '*) command curl "$@" ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}
started() {
  outputs[$1]=$2 places[$1]=$sample
  for _ in $(seq 100); do
    if [ -s "$2" ] || ! kill -0 "$1" 2>/dev/null; then break; fi
    sleep 0.1
  done
  require_running "$1"
}
require_running() {
  if kill -0 "$1" 2>/dev/null; then return; fi
  sample=\${places[$1]}
  cat "\${outputs[$1]}"
  echo "The program at $sample ended." >&2
  return 1
}
`

const EPILOGUE = `
if [ \${#outputs[@]} -gt 0 ]; then sleep ${SETTLE_SECONDS}; fi
for job in "\${!outputs[@]}"; do require_running "$job"; done
`

/** Writes the files of the page to the folder, and returns the script. */
export function pageScript(folder: string, samples: readonly Sample[], settings: PageSettings): string {
  const replaced = (text: string) =>
    Object.entries(settings.replace ?? {}).reduce((changed, [from, to]) => changed.replaceAll(from, to), text)
  const steps = samples
    .filter(({ notRun }) => notRun === undefined)
    .map((sample, index) =>
      stepOf({ folder, index, sample: { ...sample, code: replaced(sample.code) }, before: settings.before ?? {} }),
    )
  return [PRELUDE, settings.setup ?? '', ...steps, EPILOGUE].join('\n')
}

type Step = {
  readonly folder: string
  readonly index: number
  readonly sample: Sample
  readonly before: Readonly<Record<string, string>>
}

function stepOf({ folder, index, sample, before }: Step): string {
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
