export { List } from './list.tsx'
export { Provider as Detail } from './provider.tsx'
