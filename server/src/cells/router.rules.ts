/**
 * The router: nginx, which finds the organization in an address and hands the request to the cell
 * that it lives in. Its configuration is written from the directory and from nothing else.
 */

import type { OrganizationId } from '../kernel/ids.ts'
import { type CellName, cellNameOf, type Directory } from './directory.rules.ts'
import { repeatsMap } from './repeats.rules.ts'

/** Where the router tells by which version of the directory it goes. No organization has this in its addresses. */
export const ROUTER_VERSION_PATH = '/-/cells'

export const versionLine = ({ version }: Pick<Directory, 'version'>) => `cells version ${version}`

/** Whoever changed the directory after us had the router told of our change as well. */
export function isAtLeast({ version }: Pick<Directory, 'version'>, line: string): boolean {
  const told = /^cells version (\d+)$/.exec(line.trim())?.[1]
  return told !== undefined && Number(told) >= version
}

/** nginx wants to know beforehand how large its tables become. */
const HASH_SIZE_MIN = 2048

const organization = '(?<reelkeep_found>[a-z0-9]{6,12})'

export function routerConfiguration(directory: Directory): string {
  const { cells, newOrganizations, organizations, router } = directory
  const moved = Object.keys(organizations).sort() as OrganizationId[]
  const others = moved.filter((id) => cellNameOf(directory, id) !== newOrganizations)
  const lines = others.map((id) => `  ${id} ${upstreamOf(cellNameOf(directory, id))};`)
  const hashSize = Math.max(HASH_SIZE_MIN, 2 ** Math.ceil(Math.log2(others.length * 2 + 1)))
  return `# Which organization lives in which cell, for nginx: /etc/nginx/conf.d/reelkeep-router.conf. Debian's nginx-light has all it needs.
# Written by \`admin router-configuration\` from version ${directory.version} of the directory; changes belong there.

${Object.keys(cells)
  .sort()
  .map((name) => upstream(name, cells[name]?.api ?? []))
  .join('\n')}
# Large enough for all that are listed; nginx takes these before its first table.
map_hash_max_size ${hashSize};
map_hash_bucket_size 128;

# Whose address it is. nginx has decoded it and taken double slashes out, as the API does.
map $uri $reelkeep_organization {
  default "";
  "~^/api/v1/${organization}(?:/|$)" $reelkeep_found;
  "~^/play(?:-access)?/[^/]+/${organization}(?:/|$)" $reelkeep_found;
  "~^/embed/${organization}(?:/|$)" $reelkeep_found;
  /oembed $reelkeep_shown;
}

# Somebody asks how to show a page of ours, whose address is in the question, encoded or not.
map $arg_url $reelkeep_shown {
  default "";
  "~*(?:/|%2f)embed(?:/|%2f)(?<reelkeep_page>[a-z0-9]{6,12})(?:/|%2f|$)" $reelkeep_page;
}

# Those that are not listed, and addresses without one, belong to the cell of new organizations.
map $reelkeep_organization $reelkeep_listed {
  default ${upstreamOf(newOrganizations)};
${lines.join('\n')}${lines.length > 0 ? '\n' : ''}}

${repeatsMap()}
# Passes stand in addresses, and do not belong into a log.
log_format reelkeep_router '$remote_addr [$time_iso8601] $request_method $reelkeep_organization $reelkeep_cell $status $body_bytes_sent $request_time';

server {
  listen ${router.listen};

  access_log ${router.logs}/reelkeep-router.log reelkeep_router;
  error_log ${router.logs}/reelkeep-router-error.log crit;

  # An address with the longest pass has some 6.5 KiB; the API itself says how large a body may be.
  large_client_header_buffers 4 16k;
  client_max_body_size 16m;

  proxy_http_version 1.1;
  proxy_set_header Connection "";
  proxy_set_header Host $http_host;
${trusted(router.trustedProxies)}  # Replaced, not added to: callers may write what they like into it.
  proxy_set_header X-Forwarded-For $remote_addr;
  # An instance that is gone answers nothing at all; the next one is asked soon.
  proxy_connect_timeout 1s;
  # Event streams say something every few seconds; who reads them is not hung up on meanwhile.
  proxy_read_timeout 120s;

  # A move waits until this tells the new version.
  location = ${ROUTER_VERSION_PATH} {
    default_type text/plain;
    return 200 "${versionLine(directory)}\\n";
  }

${moves(directory)}
  # What an instance did not take is given to the next of its cell. What it took and did not answer, only where nobody could have it done twice by that.
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

/** Whoever stands before the router, such as an edge, says for whom it asks. */
const trusted = (networks: readonly string[]) =>
  networks.length === 0
    ? ''
    : `${networks.map((network) => `  set_real_ip_from ${network};`).join('\n')}
  real_ip_header X-Forwarded-For;
`

/** The name of a file that says where an organization has moved to. */
export const placementFile = (id: OrganizationId, cell: CellName) => `${id}.${cell}`

/**
 * A reload would close connections under requests that are just sent; to look whether a file is
 * there costs a microsecond.
 */
function moves({ router: { placements }, cells }: Directory): string {
  const setting = '  set $reelkeep_cell $reelkeep_listed;\n'
  if (placements === undefined) return setting
  const looks = Object.keys(cells)
    .sort()
    .map((name) => {
      const file = placementFile('$reelkeep_organization' as OrganizationId, name)
      return `  if (-f ${placements}/${file}) { set $reelkeep_cell ${upstreamOf(name)}; }`
    })
  return `  # Who has moved since this was written: a file tells where to.\n${setting}${looks.join('\n')}\n`
}

const upstreamOf = (name: CellName) => `reelkeep_cell_${name.replaceAll('-', '_')}`

/**
 * Both shorter than DRAIN_SECONDS: an instance that is told to go answers until nobody has a
 * connection to it, or takes it for gone, any more.
 */
const upstream = (name: CellName, api: readonly string[]) =>
  `upstream ${upstreamOf(name)} {
${api.map((address) => `  server ${new URL(address).host} fail_timeout=1s;`).join('\n')}
  keepalive 64;
  keepalive_timeout 3s;
}
`
