import type { ApiConfig } from '../../platform/config/env.ts'
import type { RequestLimits } from '../../platform/http/access/authenticate.ts'
import { FailureLimit } from '../../platform/http/access/failure-limit.ts'
import { RateLimit } from '../../platform/http/access/rate-limit.ts'

export const openRequestLimits = (config: ApiConfig): RequestLimits => ({
  organizations: new RateLimit({ name: 'organization', perMinute: config.RATE_LIMIT_PER_MINUTE }),
  failures: new FailureLimit({
    name: 'failed-authentications',
    perMinute: config.FAILED_AUTHENTICATIONS_PER_MINUTE,
    problem: 'Too many requests without a valid token from this IP address.',
  }),
})
