/** What viewers fetch, served to somebody who has been let in to everything: by the service's own routes, on a port of its own. */
import type { AddressInfo } from 'node:net'
import { registerPlaybackRoutes } from '@reelkeep/server/capabilities/playback/playback.routes.ts'
import { openContext } from '@reelkeep/server/main/context.ts'
import { readApiConfig } from '@reelkeep/server/platform/config/env.ts'
import { openHttpServer } from '@reelkeep/server/platform/http/server.ts'
import type { StackEnv } from '@reelkeep/testkit'

export async function openLetIn(env: StackEnv) {
  const context = openContext(readApiConfig({ ...env, LOG_LEVEL: 'silent' }))
  const http = openHttpServer({
    ...{ logger: context.logger, metrics: context.requestMetrics, docsUrl: 'http://docs.example' },
    ...{ trustedProxyHops: 0, isStopping: () => false },
  })
  registerPlaybackRoutes(http, { ...context, passOf: () => ({ viewer: 'tester' }) })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as AddressInfo
  return {
    /** With a slash at its end. */
    addressOf: (organizationId: string, assetId: string) =>
      `http://127.0.0.1:${port}/play/${organizationId}/${assetId}/`,
    [Symbol.asyncDispose]: async () => {
      await http.close()
      await context[Symbol.asyncDispose]()
    },
  }
}
