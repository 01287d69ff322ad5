// scene_impl.h: what a page shows of a run, as numbers.
#ifndef ZWANG_SHOW_SCENE_IMPL_H
#define ZWANG_SHOW_SCENE_IMPL_H

#include "model/model.h"
#include "motion/motion.h"
#include "simulate/simulate.h"

// A shape's numbers begin at `from`. By kind:
//     line    two points           trace, mass, point   a point
//     disc    centre, axis, radius, and two axes that turn with it
//     sphere  centre, radius, two axes     box  centre, two axes, edges
//     body    centre, two axes of its inertia, edges, two axes that turn with it
//     plane   normal, place        force   point, force
//     gravity its vector
typedef struct {
    const char *kind, *name;
    size_t from;
} SceneShape;
typedef struct Scene Scene;
Scene *scene_new(Motion *motion, const Simulation *run);
void scene_free(Scene *scene);
size_t scene_width(const Scene *scene); // how many numbers a frame has
// The numbers at the state that the run has reported last.
void scene_evaluate(const Scene *scene, const Simulation *run, double *values);
void scene_json(const Scene *scene, Text *out);

#endif
