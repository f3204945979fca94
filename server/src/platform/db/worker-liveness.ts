export { isAlive, mayDeclareDead } from './claims.ts'
