export { List } from './list.tsx'
