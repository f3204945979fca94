/**
 * The router: nginx, which finds the organization in the URL and forwards the request to its cell. Its
 * configuration is generated from the cells file alone.
 */

import type { OrganizationId } from '../kernel/ids.ts'
import { type CellName, cellNameOf, type Directory } from './directory.rules.ts'
import { repeatsMap } from './repeats.rules.ts'

/** Path where the router returns the version of the cells file that it uses. No organization URL has this path. */
export const ROUTER_VERSION_PATH = '/-/cells'

export const versionLine = ({ version }: Pick<Directory, 'version'>) => `cells version ${version}`

/** Whether the router uses this version of the cells file or a newer one, which also contains the change. */
export function isAtLeast({ version }: Pick<Directory, 'version'>, line: string): boolean {
  const used = /^cells version (\d+)$/.exec(line.trim())?.[1]
  return used !== undefined && Number(used) >= version
}

/** Minimum size of the hash tables in the nginx configuration: nginx does not grow them. */
const HASH_SIZE_MIN = 2048

const organization = '(?<reelkeep_found>[a-z0-9]{6,12})'

export function routerConfiguration(directory: Directory): string {
  const { cells, newOrganizations, organizations, router } = directory
  const moved = Object.keys(organizations).sort() as OrganizationId[]
  const others = moved.filter((id) => cellNameOf(directory, id) !== newOrganizations)
  const lines = others.map((id) => `  ${id} ${upstreamOf(cellNameOf(directory, id))};`)
  const hashSize = Math.max(HASH_SIZE_MIN, 2 ** Math.ceil(Math.log2(others.length * 2 + 1)))
  return `# Routes organizations to cells, for nginx: /etc/nginx/conf.d/reelkeep-router.conf. Debian's nginx-light is sufficient.
# Written by \`admin router-configuration\` from version ${directory.version} of the cells file; make changes there.

${Object.keys(cells)
  .sort()
  .map((name) => upstream(name, cells[name]?.api ?? []))
  .join('\n')}
# Large enough for all listed organizations; must come before the first map.
map_hash_max_size ${hashSize};
map_hash_bucket_size 128;

# The organization in the URL. nginx has decoded it and merged slashes, as the API does.
map $uri $reelkeep_organization {
  default "";
  "~^/api/v1/${organization}(?:/|$)" $reelkeep_found;
  "~^/play(?:-access)?/[^/]+/${organization}(?:/|$)" $reelkeep_found;
  "~^/embed/${organization}(?:/|$)" $reelkeep_found;
  /oembed $reelkeep_shown;
  "~^/mcp/?$" $reelkeep_agent;
}

# AI agents send requests to one path; their token names the organization.
map $http_authorization $reelkeep_agent {
  default "";
  "~*^(?:token|bearer) +rlku?_(?<reelkeep_named>[a-z0-9]{6,12})_" $reelkeep_named;
}

# oEmbed requests contain the URL of the embed page as a parameter, encoded or not.
map $arg_url $reelkeep_shown {
  default "";
  "~*(?:/|%2f)embed(?:/|%2f)(?<reelkeep_page>[a-z0-9]{6,12})(?:/|%2f|$)" $reelkeep_page;
}

# Organizations that are not listed, and URLs without one, belong to the default cell.
map $reelkeep_organization $reelkeep_listed {
  default ${upstreamOf(newOrganizations)};
${lines.join('\n')}${lines.length > 0 ? '\n' : ''}}

${repeatsMap()}
# URLs contain playback tokens, which must not be logged.
log_format reelkeep_router '$remote_addr [$time_iso8601] $request_method $reelkeep_organization $reelkeep_cell $status $body_bytes_sent $request_time';

server {
  listen ${router.listen};

  access_log ${router.logs}/reelkeep-router.log reelkeep_router;
  error_log ${router.logs}/reelkeep-router-error.log crit;

  # A URL with the longest playback token has about 6.5 KiB; the API itself limits the body.
  large_client_header_buffers 4 16k;
  client_max_body_size 16m;

  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
${trusted(router.trustedProxies)}  # Replaced, not appended: clients can send any value.
  proxy_set_header X-Forwarded-For $remote_addr;
  # An instance that is down does not respond at all; try the next one soon.
  proxy_connect_timeout 1s;
  # Event streams send something every few seconds, so this does not disconnect their readers.
  proxy_read_timeout 120s;

  # A migration waits until this returns the new version.
  location = ${ROUTER_VERSION_PATH} {
    default_type text/plain;
    return 200 "${versionLine(directory)}\\n";
  }

${moves(directory)}
  # Requests that an instance did not accept go to the next one of its cell. Requests without a response do so only if they can be repeated safely.
  location / {
    error_page 418 = @repeated;
    if ($reelkeep_may_be_repeated) { return 418; }
    proxy_pass http://$reelkeep_cell;
  }

  location @repeated {
    proxy_pass http://$reelkeep_cell;
    proxy_next_upstream error timeout non_idempotent;
  }
}
`
}

/** Trusted proxies in front of the router, such as an edge, send the client's address. */
const trusted = (networks: readonly string[]) =>
  networks.length === 0
    ? ''
    : `${networks.map((network) => `  set_real_ip_from ${network};`).join('\n')}
  real_ip_header X-Forwarded-For;
`

/** Name of the file that marks the new cell of an organization. */
export const placementFile = (id: OrganizationId, cell: CellName) => `${id}.${cell}`

/**
 * Makes nginx check for placement files on each request. A reload would close connections with requests in flight;
 * checking whether a file exists takes a microsecond.
 */
function moves({ router: { placements }, cells }: Directory): string {
  const setting = '  set $reelkeep_cell $reelkeep_listed;\n'
  if (placements === undefined) return setting
  const checks = Object.keys(cells)
    .sort()
    .map((name) => {
      const file = placementFile('$reelkeep_organization' as OrganizationId, name)
      return `  if (-f ${placements}/${file}) { set $reelkeep_cell ${upstreamOf(name)}; }`
    })
  return `  # Organizations migrated since this was generated: a file marks their cell.\n${setting}${checks.join('\n')}\n`
}

const upstreamOf = (name: CellName) => `reelkeep_cell_${name.replaceAll('-', '_')}`

/**
 * `fail_timeout` and `keepalive_timeout` are shorter than DRAIN_SECONDS: a stopping instance responds until no proxy
 * has a connection to it, or all consider it down.
 */
const upstream = (name: CellName, api: readonly string[]) =>
  `upstream ${upstreamOf(name)} {
${api.map((address) => `  server ${new URL(address).host} fail_timeout=1s;`).join('\n')}
  keepalive 64;
  keepalive_timeout 3s;
}
`
