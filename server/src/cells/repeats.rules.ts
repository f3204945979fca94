/**
 * nginx maps, generated from the contract, of the requests that a proxy may send to another instance if the first one
 * does not respond.
 */
import { API_PREFIX, isRepeatable, operations } from '@reelkeep/contract'

/** The nginx `map` blocks of requests that may be repeated; `pnpm generate` inserts them where nginx is configured. */
export function repeatsMap(): string {
  const once = operations.filter((operation) => !isRepeatable(operation))
  return `# Requests without Idempotency-Key support whose second response would differ. nginx has decoded the URL and merged slashes, as the API does.
map $uri $reelkeep_once {
  default 0;
${once.map(({ path }) => `  "~^${patternOf(path)}$" 1;`).join('\n')}
}

# Repeatable requests: PATCH, which sets a state, and requests with an Idempotency-Key, which take effect once.
# nginx itself knows the other repeatable methods.
map "$request_method $reelkeep_once $http_idempotency_key" $reelkeep_may_be_repeated {
  default 0;
  "~^PATCH " 1;
  "~^POST 0 ." 1;
}
`
}

/** Regular expression for a path of the API, with or without the trailing slash. */
const patternOf = (path: string) => `${API_PREFIX}${path}`.replaceAll(/:\w+/g, '[^/]+').replace(/\/$/, '/?')
