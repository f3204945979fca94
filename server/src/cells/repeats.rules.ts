/**
 * Which requests a proxy in front of several instances may give to the next when the one that took
 * them fell silent: for nginx, from the contract.
 */
import { API_PREFIX, isRepeatable, operations } from '@reelkeep/contract'

/** As it stands in both configurations: the router's, and that of Compose's edge, where `pnpm generate` puts it. */
export function repeatsMap(): string {
  const once = operations.filter((operation) => !isRepeatable(operation))
  return `# What takes no key, and is answered otherwise the second time. nginx has decoded the address and taken double slashes out, as the API does.
map $uri $reelkeep_once {
  default 0;
${once.map(({ path }) => `  "~^${patternOf(path)}$" 1;`).join('\n')}
}

# What may be repeated: changes by PATCH, which say how things are to be, and whatever else bears an Idempotency-Key, which is done once however often it comes.
# All else that may be, nginx knows by itself.
map "$request_method $reelkeep_once $http_idempotency_key" $reelkeep_may_be_repeated {
  default 0;
  "~^PATCH " 1;
  "~^POST 0 ." 1;
}
`
}

/** With or without the slash at its end, as the API takes it. */
const patternOf = (path: string) =>
  `${API_PREFIX}${path}`.replaceAll(/:\w+/g, '[^/]+').replace(/\/$/, '/?')
