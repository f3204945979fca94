export { ApiProcess } from './api-process.ts'
export { type Answer, Caller, type Method, type Received, type Send } from './caller.ts'
export { OwnPostgres } from './own-postgres.ts'
export { judged, randomRun, root } from './settings.ts'
export {
  migrate,
  resetDatabase,
  type StackEnv,
  stackEnv,
  startStack,
  withDatabase,
} from './stack.ts'
export { Superuser } from './superuser.ts'
export { newOrganization, openOwner, World } from './world.ts'
