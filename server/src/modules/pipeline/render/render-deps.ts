import type { FormLifetime } from '../../assets/assets.ts'
import type { PipelineDeps } from '../attempt.ts'

/** Dependencies of rendering. */
export type RenderDeps = Pick<
  PipelineDeps,
  'uploads' | 'media' | 'sandbox' | 'scratch' | 'keyRing' | 'drm' | 'intervals'
> & {
  readonly settings: FormLifetime
}
