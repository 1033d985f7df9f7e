export { Settings as Detail, Settings as List } from './settings.tsx'
