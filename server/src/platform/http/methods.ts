/** Responds to unsupported methods of known paths with 405 and `Allow`. */
import { type AnyOperation, API_PREFIX } from '@reelkeep/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { refused } from '../../kernel/errors.ts'

/**
 * Registers the other common methods of each path. Without these routes, `GET chapters/import/` would read the chapter
 * "import".
 */
export function rejectOtherMethods(http: FastifyInstance, operations: readonly AnyOperation[]): void {
  for (const [path, allowed] of methodsByPath(operations)) {
    const others = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].filter(
      (method) => !allowed.includes(method),
    )
    http.route({
      method: others,
      url: `${API_PREFIX}${path}`,
      exposeHeadRoute: false,
      handler: (_, reply) => {
        throw methodNotAllowed(reply, allowed)
      },
    })
  }
}

/** Sets `Allow` and returns the error. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]) {
  const allow = allowed.join(', ')
  reply.header('Allow', allow)
  return refused('method_not_allowed', `This path supports ${allow}.`)
}

/** Returns a function that finds the methods of a path, for methods that cannot be registered, such as PROPFIND. */
export function methodFinder(operations: readonly AnyOperation[]): (path: string) => readonly string[] | undefined {
  const patterns = [...methodsByPath(operations)]
    .map(([path, allowed]) => ({ path: `${API_PREFIX}${path}`.replace(/:\w+/g, '~'), allowed }))
    // A fixed name, such as `import`, comes before a parameter.
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map(({ path, allowed }) => ({ form: new RegExp(`^${path.replaceAll('~', '[^/]+')}?$`), allowed }))
  return (path) => patterns.find(({ form }) => form.test(path))?.allowed
}

/** The methods of each path. HEAD is served wherever GET is. */
function methodsByPath(operations: readonly AnyOperation[]): Map<string, readonly string[]> {
  const byPath = Map.groupBy(operations, ({ path }) => path)
  return new Map(
    [...byPath].map(([path, onPath]) => [
      path,
      onPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
    ]),
  )
}
