export { bindingRoutes } from './binding-routes.ts'
export { type Binding, bindingsOf, membershipsOf } from './bindings-store.ts'
export { changeEdge, checkMayOpen } from './change.ts'
export {
  type AccountStatusOf,
  type EdgeContext,
  type GraphActor,
  type GraphContext,
  type NodeNames,
  namesBy,
} from './context.ts'
export { groupsOf, holdNodes, insertEdge, membersOf } from './edge-store.ts'
export { addUpMembersJob, forgetHistoryJob, graphJobs } from './jobs.ts'
export { addNode, addNodes, deleteNode, restoreNode, setNodeAttributes } from './node-store.ts'
export { DIRECTORY_TYPES, NODE_TYPES, type NodeRef, type NodeType } from './pairs.ts'
export { reachableIds } from './reachable-store.ts'
export { graphRoutes } from './routes.ts'
export { type GraphOperation, graphOperation } from './schema.ts'
export { checkSudoGrant, mayGiveSudo, readSudo, type SudoGiver } from './sudo.ts'
