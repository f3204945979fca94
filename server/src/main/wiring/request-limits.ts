import { type Counter, memoryCounter, sharedCounter } from '../../platform/http/access/counters.ts'
import { FailureLimit } from '../../platform/http/access/failure-limit.ts'
import { type Policy, RateLimit } from '../../platform/http/access/rate-limit.ts'
import { RequestLimits } from '../../platform/http/access/request-limits.ts'
import type { Context } from './context.ts'

export function openRequestLimits(context: Context): RequestLimits {
  const { RATE_LIMIT_PER_MINUTE: perMinute, RATE_LIMIT_PER_TOKEN_PER_MINUTE: perToken } = context.config
  const open = (policy: Policy) => new RateLimit(policy, counterFor(context, policy))
  return new RequestLimits(
    open({ name: 'organization', perMinute }),
    perToken === undefined ? undefined : open({ name: 'token', perMinute: perToken }),
  )
}

function counterFor({ config, database, logger }: Context, { name, perMinute }: Policy): Counter {
  if (config.RATE_LIMIT_STORE === 'memory') return memoryCounter()
  return sharedCounter({
    ...{ database, prefix: `${name}:`, pointsMax: perMinute },
    onError: (err) => logger.warn({ err }, 'failed to count a request for all instances; counting it in memory'),
  })
}

export const openFailureLimit = (perMinute: number) =>
  new FailureLimit({
    ...{ name: 'failed-authentications', perMinute },
    problem: 'Too many requests without a valid token from this IP address.',
  })
