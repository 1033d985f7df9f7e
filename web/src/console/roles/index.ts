export { Detail } from './detail.tsx'
export { List } from './list.tsx'
