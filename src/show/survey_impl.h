// survey_impl.h: what a model is made of, seen from numbers at a few positions of its coordinates:
// which places coincide, which are fixed in a body or in the world, what a condition depends on.
#ifndef ZWANG_SHOW_SURVEY_IMPL_H
#define ZWANG_SHOW_SURVEY_IMPL_H

#include "model/model.h"
#include "motion/motion.h"
#include "simulate/simulate.h"

enum { SURVEY_SAMPLES = 8 };
// Beyond so many places nothing is sought among pairs of them.
enum { SURVEY_MOST_PLACES = 400 };

typedef struct {
    Vector position;
    const char *name;                  // of the point, mass or body
    double at[SURVEY_SAMPLES][3];      // world
    bool fixed;                        // in world
    bool is_point, is_mass, is_centre; // named point; a mass is there; a body's centre is there
    bool is_contact;                   // where a particle of a body is
    bool is_drawn;                     // a line of the model draws something around it
} SurveyPlace;

typedef struct {
    Vector position;
    size_t place;
} SurveyName;

typedef struct {
    const ModelBody *body;
    size_t centre;                     // its place
    double axes[SURVEY_SAMPLES][3][3]; // of its frame; [sample][axis][component]
    double inertia_axes[SURVEY_SAMPLES][3][3];
    double mass, inertia[6];
} SurveyBody;

// What a condition holds of places: f changes by gradient·δ where the place is displaced by δ.
typedef struct {
    size_t place;
    double gradient[SURVEY_SAMPLES][3];
} SurveyGrip;
enum { SURVEY_MOST_GRIPS = 3 };

typedef struct {
    const ModelConstraint *constraint;
    double value[SURVEY_SAMPLES]; // left − right
    SurveyGrip grips[SURVEY_MOST_GRIPS];
    size_t grip_count; // 0 where it is no condition of places
    Expr coords[3];    // of one grip: the coordinates that are its x, y, z; none where it has none
} SurveyCondition;

typedef struct Survey {
    ARRAY(SurveyPlace) places; // no two the same; the origin is the first
    ARRAY(SurveyName) names;   // every vector that is one of them, and which
    ARRAY(SurveyBody) bodies;
    ARRAY(SurveyCondition) conditions;
    ARRAY(double) terms; // of the potential: SURVEY_SAMPLES each
    size_t term_count;
    double size; // of the whole at the start
} Survey;

Survey survey_new(const Motion *motion, const Simulation *run);
void survey_clear(Survey *survey);
// The place that this vector is, SIZE_MAX where it is none of them.
size_t survey_place(const Survey *survey, Vector position);
bool survey_is_attached(const Survey *survey, const SurveyBody *body, size_t place);
// The distance of two places at every sample; whether it is the same in all.
bool survey_distance(const Survey *survey, size_t a, size_t b, double *distances);

#endif
