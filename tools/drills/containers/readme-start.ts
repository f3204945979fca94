import { samplesIn } from '../../../tests/docs/samples.ts'

/** `docker` for the shell; Compose is docker-compose 1.29. */
const docker = `docker() {
  case "$1 $2" in
    'compose '*) docker-compose "\${@:2}" ;;
    *) echo "The README runs an unknown command: docker $*" >&2; return 1 ;;
  esac
}`

/** The commands of the README's section "Start", as written, for a shell in which podman replaces Docker. */
export function readmeStart(): string {
  const [sample, ...others] = samplesIn('README.md')
  if (!sample || others.length > 0) throw new Error('The README must have one sample.')
  return `${docker}\n${sample.code}`
}
